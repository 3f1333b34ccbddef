import { create, type DescMethod } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { SDK as BetaSDK } from "#proto/gen/agones/dev/sdk/beta/beta_pb.ts";
import { SDK } from "#proto/gen/agones/dev/sdk/sdk_pb.ts";
import { FakeClock } from "#runtime/clock.ts";
import { type BoundMethods, bindService, boundMethods, type ServiceHandlers } from "#runtime/grpc/handlers.ts";
import { RpcError } from "#runtime/grpc/rpc-error.ts";
import { callLog } from "./call-log.ts";
import { readableLog } from "./readable-log.ts";
import { toldMethods } from "./told-methods.ts";

const signal = new AbortController().signal;

function open() {
  const lines: string[] = [];
  const log = readableLog({ clock: new FakeClock(), write: (line) => lines.push(line.replace(/^[\d:]{8} /, "")) });
  const refuse = () => {
    throw new RpcError("InvalidArgument", "invalid label");
  };
  const methods = boundMethods(
    undefined,
    bindService(SDK, {
      getGameServer: () => ({ objectMeta: { name: "a" }, status: { state: "Ready" } }),
      setLabel: refuse,
      reserve: () => ({}),
      health: async (pings: AsyncIterable<unknown>) => {
        for await (const _ of pings);
        return {};
      },
      watchGameServer: async function* () {
        yield { objectMeta: { name: "a" }, status: { state: "Allocated" } };
      },
    } as unknown as ServiceHandlers<typeof SDK>),
    bindService(BetaSDK, {
      updateCounter: () => ({ name: "rooms", count: 0n, capacity: 10n }),
    } as unknown as ServiceHandlers<typeof BetaSDK>),
  );
  return { lines, methods: toldMethods(methods, [callLog(log)]) };
}

async function call(
  methods: BoundMethods,
  method: DescMethod,
  request: Record<string, unknown> = {},
): Promise<unknown> {
  const bound = methods.get(method);
  if (bound?.kind === "unary") return bound.call(create(method.input, request), { signal });
  if (bound?.kind === "server_streaming") return Array.fromAsync(bound.call(create(method.input), { signal }));
  const pings = async function* () {
    yield create(method.input);
    yield create(method.input);
  };
  return bound?.call(pings(), { signal });
}

test("a call is one line with what was asked and what was answered", async () => {
  const { lines, methods } = open();
  await call(methods, SDK.method.reserve, { seconds: 5n });
  await call(methods, SDK.method.getGameServer);
  await call(methods, BetaSDK.method.updateCounter, {
    counterUpdateRequest: { name: "rooms", count: 0n, countDiff: -1n },
  });
  expect(lines).toEqual([
    "Reserve seconds=5",
    "GetGameServer → name=a state=Ready",
    "UpdateCounter name=rooms count=0 countDiff=-1 → name=rooms count=0 capacity=10",
  ]);
});

test("a refusal says why, and still refuses", async () => {
  const { lines, methods } = open();
  await expect(call(methods, SDK.method.setLabel, { key: "a b", value: "" })).rejects.toThrow("invalid label");
  expect(lines).toEqual(['WARN SetLabel key="a b" refused: invalid label code=InvalidArgument']);
});

test("of pings the first is told, of a watch that it began; all else at debug", async () => {
  const { lines, methods } = open();
  await call(methods, SDK.method.health);
  await call(methods, SDK.method.watchGameServer);
  expect(lines).toEqual([
    "DEBUG Health begins",
    "Health: the first ping; later ones are told at log level debug",
    "DEBUG Health",
    "DEBUG Health ends",
    "WatchGameServer",
    "DEBUG WatchGameServer → name=a state=Allocated",
    "DEBUG WatchGameServer ends",
  ]);
});

test("a method that nobody serves stays so", () => {
  expect(toldMethods({ get: () => undefined }, []).get(SDK.method.ready)).toBeUndefined();
});
