/** The SDK protocol over a session. gRPC and REST call the same handlers. */
import type { DescService } from "@bufbuild/protobuf";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import { SDK as AlphaSDK } from "#proto/gen/agones/dev/sdk/alpha/alpha_pb.ts";
import { SDK as BetaSDK } from "#proto/gen/agones/dev/sdk/beta/beta_pb.ts";
import { SDK } from "#proto/gen/agones/dev/sdk/sdk_pb.ts";
import { type BoundMethods, bindService, boundMethods, type ServiceHandlers } from "#runtime/grpc/handlers.ts";
import { alphaHandlers, betaHandlers } from "./counts-handlers.ts";
import type { GameServerSession } from "./game-server-session.ts";
import { toSdkGameServer } from "./sdk-message.ts";

/** All three are always registered, whatever the gates. */
export const SDK_SERVICES: readonly DescService[] = [SDK, AlphaSDK, BetaSDK];

export function sdkMethods(session: GameServerSession, gates: FeatureGates): BoundMethods {
  return boundMethods(
    bindService(SDK, coreHandlers(session, gates)),
    bindService(AlphaSDK, alphaHandlers(session, gates)),
    bindService(BetaSDK, betaHandlers(session, gates)),
  );
}

function coreHandlers(session: GameServerSession, gates: FeatureGates): ServiceHandlers<typeof SDK> {
  const nothing = async (kept: Promise<void>) => {
    await kept;
    return {};
  };
  return {
    ready: () => nothing(session.ready()),
    allocate: () => nothing(session.allocate()),
    shutdown: () => nothing(session.shutdown()),
    reserve: ({ seconds }) => nothing(session.reserve(seconds)),
    setLabel: ({ key, value }) => nothing(session.setLabel(key, value)),
    setAnnotation: ({ key, value }) => nothing(session.setAnnotation(key, value)),
    health: async (pings) => {
      for await (const _ of pings) session.ping();
      return {};
    },
    getGameServer: async (_request, { signal }) => toSdkGameServer(await session.read(signal), gates),
    watchGameServer: async function* (_request, { signal }) {
      for await (const gameServer of session.watch(signal)) yield toSdkGameServer(gameServer, gates);
    },
  };
}
