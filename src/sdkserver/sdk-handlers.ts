/** The SDK protocol over a session. gRPC and REST call the same handlers. */
import type { DescService } from "@bufbuild/protobuf";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import { SDK as AlphaSDK } from "#proto/gen/agones/dev/sdk/alpha/alpha_pb.ts";
import { SDK as BetaSDK } from "#proto/gen/agones/dev/sdk/beta/beta_pb.ts";
import { SDK } from "#proto/gen/agones/dev/sdk/sdk_pb.ts";
import { type BoundMethods, bindService, boundMethods, type ServiceHandlers } from "#runtime/grpc/handlers.ts";
import { mapped } from "#runtime/mapped.ts";
import { alphaHandlers, betaHandlers, type Served } from "./counts-handlers.ts";
import type { GameServerSession } from "./game-server-session.ts";
import { toSdkGameServer } from "./sdk-message.ts";

/** All three are always registered, whatever the gates. */
export const SDK_SERVICES: readonly DescService[] = [SDK, AlphaSDK, BetaSDK];

export function sdkMethods(session: GameServerSession, gates: FeatureGates): BoundMethods {
  return boundMethods({ session, gates }, ...BINDINGS);
}

const nothing = async (kept: Promise<void>): Promise<Record<string, never>> => {
  await kept;
  return {};
};

const coreHandlers: ServiceHandlers<typeof SDK, Served> = {
  ready: (_request, _context, { session }) => nothing(session.ready()),
  allocate: (_request, _context, { session }) => nothing(session.allocate()),
  shutdown: (_request, _context, { session }) => nothing(session.shutdown()),
  reserve: ({ seconds }, _context, { session }) => nothing(session.reserve(seconds)),
  setLabel: ({ key, value }, _context, { session }) => nothing(session.setLabel(key, value)),
  setAnnotation: ({ key, value }, _context, { session }) => nothing(session.setAnnotation(key, value)),
  health: async (pings, _context, { session }) => {
    for await (const _ of pings) session.ping();
    return {};
  },
  getGameServer: async (_request, { signal }, { session, gates }) => toSdkGameServer(await session.read(signal), gates),
  watchGameServer: (_request, { signal }, { session, gates }) =>
    mapped(session.watch(signal), (gameServer) => toSdkGameServer(gameServer, gates)),
};

const BINDINGS = [
  bindService(SDK, coreHandlers),
  bindService(AlphaSDK, alphaHandlers),
  bindService(BetaSDK, betaHandlers),
];
