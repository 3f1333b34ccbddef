import { expect, test } from "vitest";
import { buildGameServer, buildSet } from "../fixtures.ts";
import { decideOverflow } from "./decide-overflow.ts";

const overflow = { labels: { overflow: "yes" } };
const marked = { metadata: { labels: { overflow: "yes" } } };
const going = { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } };

test.each([
  ["as many as there are beyond the number", 1, ["a", "b", "c"].map((name) => buildGameServer(name, "Allocated")), 2],
  ["those that are marked count", 1, [buildGameServer("a", "Allocated", marked), buildGameServer("b", "Allocated")], 0],
  ["those that go do not count", 1, [buildGameServer("a", "Allocated", going), buildGameServer("b", "Allocated")], 0],
  ["nor do others than Allocated ones", 0, [buildGameServer("a", "Ready"), buildGameServer("b", "Reserved")], 0],
])("matches beyond a set's number: %s", (_name, replicas, servers, count) => {
  const set = buildSet("arena", replicas, undefined, { spec: { allocationOverflow: overflow } });
  const written = decideOverflow(set, servers, new Map());
  expect(written.map(({ metadata }) => metadata.labels)).toEqual(Array(count).fill(overflow.labels));
});

test("without marks to give none is written", () => {
  const set = buildSet("arena", 0, undefined, { spec: { allocationOverflow: { labels: {} } } });
  expect(decideOverflow(set, [buildGameServer("a", "Allocated")], new Map())).toEqual([]);
});
