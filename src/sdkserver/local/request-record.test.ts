import { create, type DescMethod, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import { SDK as AlphaSDK } from "#proto/gen/agones/dev/sdk/alpha/alpha_pb.ts";
import { SDK as BetaSDK, type UpdateCounterRequestSchema } from "#proto/gen/agones/dev/sdk/beta/beta_pb.ts";
import { SDK } from "#proto/gen/agones/dev/sdk/sdk_pb.ts";
import { RpcError } from "#runtime/grpc/rpc-error.ts";
import { silentLogger } from "#runtime/logger.ts";
import { defaultGameServer } from "./default-game-server.ts";
import { checkNames, RequestRecord } from "./request-record.ts";

type Fields = Record<string, unknown>;

function open() {
  const errors: string[] = [];
  const log = { ...silentLogger, error: (_fields: object, message: string) => void errors.push(message) };
  const gameServer = defaultGameServer({ uid: "42", now: 1_760_000_000_000, gates: featureGates() });
  const record = new RequestRecord({ gameServer: () => gameServer, log });
  const call = (method: DescMethod, request: Fields = {}, answer: Fields | RpcError = {}) => {
    const message = create(method.input, request);
    record.called(method);
    if (answer instanceof RpcError) record.refused(method, message, answer);
    else record.answered(method, message, create(method.output, answer));
  };
  /** Of the names that this test looks at. */
  const received = () => ALL.filter((name) => record.has(name));
  return { call, record, errors, received };
}

const ALL = ["ready", "setlabel", "setannotation", "setcapacitycounter", "setcountcounter", "updatecounter"];

const update = (counterUpdateRequest: MessageInitShape<typeof UpdateCounterRequestSchema>["counterUpdateRequest"]) => ({
  counterUpdateRequest,
});
const count = (found: number) =>
  new RpcError("Unknown", `out of range. Count must be within range [0,Capacity]. Found Count: ${found}, Capacity: 5`);

test("labels and annotations count with the values that the server gave out", () => {
  const { call, received, errors } = open();
  call(SDK.method.setLabel, { key: "a", value: "1" });
  call(SDK.method.setAnnotation, { key: "a", value: "42" });
  expect(received()).toEqual(["setannotation"]);
  expect(errors).toEqual(["expected to receive '1760000000' as value for 'setlabel' request but received '1'"]);
  call(SDK.method.setLabel, { key: "a", value: "1760000000" });
  expect(received()).toEqual(["setlabel", "setannotation"]);
});

test.each([
  ["all parts of an update that was done", { capacity: 5n, count: 1n, countDiff: 1n }, {}, ALL.slice(3)],
  ["the parts before the one at fault", { capacity: 5n, count: 1n, countDiff: 9n }, count(10), ALL.slice(3, 5)],
  ["not the count at fault", { capacity: 5n, count: 9n, countDiff: 1n }, count(9), ["setcapacitycounter"]],
  ["nothing of a counter that is not there", { countDiff: 1n }, new RpcError("Unknown", "counter not found: x"), []],
  [
    "nothing after a capacity at fault",
    { capacity: -1n, count: 1n },
    new RpcError("Unknown", "Found Capacity: -1"),
    [],
  ],
])("of a counter it records %s", (_, request, answer, expected) => {
  const { call, received } = open();
  call(BetaSDK.method.updateCounter, update({ name: "rooms", ...request }), answer);
  expect(received()).toEqual(expected);
});

test("players count when they are the one that clients under test connect", () => {
  const { call, record } = open();
  call(AlphaSDK.method.playerConnect, { playerID: "7" }, { bool: true });
  expect(record.matches([])).toBe(true);
  call(AlphaSDK.method.playerDisconnect, { playerID: "7" }, { bool: true });
  call(AlphaSDK.method.playerConnect, { playerID: "1234" }, { bool: true });
  call(AlphaSDK.method.isPlayerConnected, { playerID: "1234" }, { bool: true });
  expect(record.matches(["playerdisconnect", "playerconnect", "isplayerconnected"])).toBe(true);
});

test("what came must be what was expected, as sets", () => {
  const { call, record, errors } = open();
  call(SDK.method.allocate);
  call(SDK.method.allocate);
  expect(record.matches(["allocate"])).toBe(true);
  expect(record.matches(["allocate", "ready"])).toBe(false);
  expect(record.matches([])).toBe(false);
  expect(errors).toEqual([
    "Could not find a request which was expected",
    "Testing Failed",
    "Found a request which was not expected",
    "Testing Failed",
  ]);
  record.ready();
  expect(record.matches(["allocate", "ready"])).toBe(true);
});

test("names of no request are refused with those that there are", () => {
  const conformance =
    "ready,allocate,setlabel,setannotation,gameserver,health,shutdown,watch,reserve,getcounter,updatecounter";
  const counts = "setcountcounter,setcapacitycounter,getlist,updatelist,addlistvalue,removelistvalue,getplayercapacity";
  const players =
    "setplayercapacity,playerconnect,playerdisconnect,getplayercount,isplayerconnected,getconnectedplayers";
  const names = [conformance, counts, players].join().split(",");
  checkNames(names);
  expect(() => checkNames(["ready", "redy", ""])).toThrow(
    `--test names no request with "redy", ""; the names are ${names.toSorted().join(", ")}`,
  );
});
