/** The calls for counters, lists and players against the fake API, for tests. */
import { create, type DescMethod } from "@bufbuild/protobuf";
import { type FeatureGates, featureGates } from "#api/agones/feature-gates.ts";
import type { GameServerStatus } from "#api/agones/gameserver.ts";
import { SDK as AlphaSDK } from "#proto/gen/agones/dev/sdk/alpha/alpha_pb.ts";
import { SDK as BetaSDK } from "#proto/gen/agones/dev/sdk/beta/beta_pb.ts";
import { FakeGameServerApi, gameServer } from "./fake-gameserver-api.ts";
import type { SessionOptions } from "./game-server-session.ts";
import { sdkMethods } from "./sdk-handlers.ts";
import { startSession } from "./session-fixture.ts";

const METHODS: readonly DescMethod[] = [...BetaSDK.methods, ...AlphaSDK.methods];

export function startCounts(
  status: GameServerStatus,
  { gates = {}, ...options }: { gates?: Partial<FeatureGates> } & Partial<SessionOptions> = {},
) {
  const started = startSession(new FakeGameServerApi(gameServer({ state: "Ready", ...status })), options);
  const { session, clock } = started;
  const methods = sdkMethods(session, featureGates({ PlayerTracking: true, ...gates }));
  /** Begins a call by the name of its method; it is noted at once. */
  const begin = async (name: string, init: Record<string, unknown> = {}): Promise<object> => {
    const method = METHODS.find(({ localName }) => localName === name);
    const bound = method && methods.get(method);
    if (!method || bound?.kind !== "unary") throw new TypeError(`${name} is no call`);
    const { $typeName: _, ...answer } = await bound.call(create(method.input, init), {
      signal: new AbortController().signal,
    });
    return answer;
  };
  /** Makes a call and lets what it causes happen. The answer, or the code and text of the refusal. */
  const call = async (name: string, init?: Record<string, unknown>): Promise<object | string> => {
    const answer = begin(name, init).catch(({ code, message }) => `${code}: ${message}`);
    await clock.advance(0);
    return answer;
  };
  return { ...started, begin, call, status: () => started.api.stored?.status };
}
