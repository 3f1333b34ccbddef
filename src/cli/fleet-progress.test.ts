import { beforeEach, describe, expect, test } from "vitest";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import { EVENTS } from "#api/core/resources.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { statusError } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import { TransportError } from "#kube/transport.ts";
import { FakeClock, rfc3339 } from "#runtime/clock.ts";
import { waitForFleet } from "./fleet-progress.ts";

/** What a cluster shows; tests change it as they go. */
let shown: {
  wanted: number;
  servers: readonly JsonObject[];
  sets: readonly JsonObject[];
  /** Of now, unless they tell their time. */
  warnings: readonly (readonly [name: string, message: string, time?: JsonObject])[];
};
let said: string[];
let clock: FakeClock;
beforeEach(() => {
  shown = { wanted: 2, servers: [], sets: [], warnings: [] };
  said = [];
  clock = new FakeClock();
});

const client = {
  watch: async (_: object, { signal }: { signal?: AbortSignal }) => looks(signal),
  get: async (type: object) => {
    if (type !== FLEETS) throw new Error("asks for something else");
    return { spec: { replicas: shown.wanted } };
  },
  list: async (type: object) => {
    if (type === GAMESERVERS) return { items: shown.servers };
    if (type === GAMESERVERSETS) return { items: shown.sets };
    if (type !== EVENTS) throw new Error("asks for something else");
    const now = { lastTimestamp: rfc3339(clock.now()) };
    return {
      items: shown.warnings.map(([name, message, time = now]) => ({
        ...{ metadata: {}, involvedObject: { name }, message, type: "Warning" },
        ...time,
      })),
    };
  },
} as unknown as Client;

/** As if the fleet's status changed all the time. */
async function* looks(signal: AbortSignal | undefined): AsyncGenerator<readonly object[]> {
  for (let replicas = 0; ; replicas++) {
    await clock.sleep(50, signal);
    yield [{ type: "MODIFIED", object: { spec: {}, status: { replicas } } }];
  }
}

const server = (name: string, state: string, more: JsonObject = {}): JsonObject => ({
  metadata: { name, ...more },
  spec: { container: name.startsWith("old") ? "old" : "new" },
  status: { state },
});

function wait(
  options: {
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
    readonly onlyNew?: boolean;
    readonly client?: Client;
  } = {},
) {
  return waitForFleet({
    client: options.client ?? client,
    namespace: "default",
    fleet: "arena",
    ...(options.onlyNew && { isCurrent: ({ spec }) => spec.container === "new" }),
    terminal: { out: () => {}, err: (line) => said.push(line) },
    clock,
    signal: options.signal ?? new AbortController().signal,
    timeoutMs: options.timeoutMs ?? 60_000,
  });
}

test("tells each change of what is Ready once, and gives the servers by name when all are Ready", async () => {
  const waiting = wait();
  await clock.advance(200);
  shown.servers = [server("b", "Starting"), server("a", "Scheduled")];
  await clock.advance(200);
  shown.servers = [server("b", "Ready"), server("a", "Scheduled")];
  await clock.advance(200);
  shown.servers = [server("b", "Ready"), server("a", "Allocated")];
  await clock.advance(200);
  expect((await waiting).map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
  expect(said).toEqual([
    "Fleet arena: 0 of 2 game servers Ready",
    "Fleet arena: 1 of 2 game servers Ready (1 Scheduled)",
    "Fleet arena: 2 of 2 game servers Ready",
  ]);
});

test("what comes before Ready is told now and then", async () => {
  const waiting = wait({ timeoutMs: 8000 });
  waiting.catch(() => {});
  for (let step = 0; step < 60; step++) {
    shown.servers = [server("a", step % 2 ? "Starting" : "Creating")];
    await clock.advance(100);
  }
  expect(said.filter((line) => line.startsWith("Fleet"))).toHaveLength(2);
  await clock.advance(3000);
  await expect(waiting).rejects.toThrow("0 of 2");
});

test("a fleet that shall have fewer is there when the others are gone, but for those that somebody plays on", async () => {
  shown = { ...shown, wanted: 1, servers: ["a", "b", "c"].map((name) => server(name, "Ready")) };
  const waiting = wait();
  await clock.advance(100);
  expect(said).toEqual(["Fleet arena: 1 of 1 game servers Ready (2 to be removed)"]);
  shown.servers = [server("a", "Allocated"), server("b", "Ready"), server("c", "Allocated")];
  await clock.advance(100);
  shown.servers = [server("a", "Allocated"), server("c", "Allocated")];
  await clock.advance(100);
  expect((await waiting).map(({ metadata }) => metadata.name)).toEqual(["a", "c"]);
  expect(said.slice(1)).toEqual([
    "Fleet arena: 1 of 1 game servers Ready (1 to be removed, 1 more in use)",
    "Fleet arena: 1 of 1 game servers Ready (1 more in use)",
  ]);
});

test("a game that runs and says nothing is told what it has to say, once", async () => {
  const hint = () => said.filter((line) => /Ready.*Health[\s\S]*AGONES_SDK_HTTP_PORT/.test(line));
  const waiting = wait({ timeoutMs: 20_000 });
  waiting.catch(() => {});
  shown.servers = [server("a", "Starting")];
  await clock.advance(6_000);
  expect(hint()).toEqual([]);
  shown.servers = [server("a", "Scheduled")];
  await clock.advance(10_000);
  expect(hint()).toHaveLength(1);
});

test("a wait that ends before that is not left without a reason", async () => {
  shown.servers = [server("a", "Scheduled")];
  const waiting = wait({ timeoutMs: 1_000 });
  waiting.catch(() => {});
  await clock.advance(1_100);
  await expect(waiting).rejects.toThrow("0 of 2");
  expect(said.at(-1)).toContain("A game server counts once it has called Ready");
});

test("a server on its way out does not count", async () => {
  shown.servers = [server("a", "Ready"), server("b", "Ready", { deletionTimestamp: "2030-01-01T00:00:00Z" })];
  const waiting = wait({ timeoutMs: 1000 });
  waiting.catch(() => {});
  await clock.advance(1100);
  await expect(waiting).rejects.toThrow("1 of 2");
});

test("servers of the version before count only while somebody plays on them", async () => {
  shown.servers = [server("old-1", "Ready"), server("old-2", "Allocated")];
  const waiting = wait({ onlyNew: true });
  await clock.advance(100);
  expect(said).toEqual(["Fleet arena: 1 of 2 game servers Ready (1 of the version before)"]);
  shown.servers = [server("old-2", "Allocated"), server("new-1", "Ready")];
  await clock.advance(100);
  expect((await waiting).map(({ metadata }) => metadata.name)).toEqual(["new-1", "old-2"]);
});

test("a fleet that shall have none is there at once", async () => {
  shown.wanted = 0;
  expect(await wait()).toEqual([]);
});

test("what warns of the fleet is told once, of others not at all", async () => {
  shown.sets = [{ metadata: { name: "arena-x7k2p" } }];
  shown.servers = [server("arena-x7k2p-9qzwm", "Starting"), server("arena-x7k2p-abcde", "Starting")];
  shown.warnings = [
    ["arena-x7k2p-9qzwm", "command not found"],
    ["arena-x7k2p-abcde", "command not found"],
    ["arena-x7k2p", "the next one is made in 2 s"],
    ["arena-x7k2p", "the next one is made in 4 s"],
    ["other-1", "no matter"],
  ];
  const waiting = wait({ timeoutMs: 10_000 });
  waiting.catch(() => {});
  await clock.advance(11_000);
  expect(said.filter((line) => line.includes("Warning"))).toEqual([
    "  Warning: command not found",
    "  Warning: the next one is made in 2 s",
  ]);
});

test("what warned before the wait is not told, nor what warns of servers that were gone or went then", async () => {
  shown.servers = ["arena-old", "arena-stays"].map((name) => server(name, "Starting"));
  shown.sets = [{ metadata: { name: "arena-set" } }];
  const [before, later] = [clock.now() - 2_000, clock.now() + 1_000].map((time) => new Date(time).toISOString());
  const waiting = wait({ timeoutMs: 10_000 });
  waiting.catch(() => {});
  await clock.advance(200);
  shown.servers = [
    server("arena-stays", "Starting"),
    server("arena-new", "Starting", { creationTimestamp: rfc3339(clock.now()) }),
  ];
  await clock.advance(200);
  shown.servers = [server("arena-stays", "Starting")];
  shown.warnings = [
    ["arena", "too early", { lastTimestamp: before }],
    ["arena", "of no time", {}],
    ["arena", "of the fleet", { eventTime: later }],
    ["arena-set", "of a set", { lastTimestamp: before, series: { lastObservedTime: later } }],
    ["arena-stays", "of one that stays", { metadata: { creationTimestamp: later } }],
    ["arena-new", "of a server that did not last"],
    ["arena-old", "of a server that went"],
    ["arena-gone", "of a server that was gone"],
  ];
  await clock.advance(4_000);
  expect(said.filter((line) => line.includes("Warning"))).toEqual(
    ["of the fleet", "of a set", "of one that stays", "of a server that did not last"].map(
      (text) => `  Warning: ${text}`,
    ),
  );
});

test("of warnings that say the same the fullest is told, its lines below it", async () => {
  shown.servers = [server("arena-1", "Starting")];
  shown.warnings = [
    ["arena-1", "Issue with Gameserver pod: game ended: no map"],
    ["arena-1", "game ended: no map\n  at line 7"],
  ];
  const waiting = wait({ timeoutMs: 10_000 });
  waiting.catch(() => {});
  await clock.advance(11_000);
  expect(said.filter((line) => line.includes("Warning"))).toEqual(["  Warning: game ended: no map\n      at line 7"]);
});

test("gives up in time, with what warns of the fleet", async () => {
  shown.servers = [server("arena-1", "Ready")];
  shown.warnings = [["arena-1", "no node has room"]];
  const waiting = wait({ timeoutMs: 500 });
  waiting.catch(() => {});
  await clock.advance(600);
  await expect(waiting).rejects.toMatchObject({
    code: "TimedOut",
    message: "fleet arena has 1 of 2 servers Ready after 1 s",
  });
  expect(said).toContain("  Warning: no node has room");
});

test("says where to look when it takes long, once", async () => {
  const waiting = wait();
  waiting.catch(() => {});
  await clock.advance(30_000);
  expect(said.filter((line) => line.includes("npx stadion get events -n default"))).toHaveLength(1);
});

test("Ctrl-C ends the wait with its reason", async () => {
  const interrupt = new AbortController();
  const waiting = wait({ signal: interrupt.signal });
  waiting.catch(() => {});
  await clock.advance(100);
  interrupt.abort(new Error("interrupted"));
  await expect(waiting).rejects.toThrow("interrupted");
});

describe("a cluster that does not answer", () => {
  const silent = () => Promise.reject(new TransportError("connect ECONNREFUSED"));
  let isAway: boolean;
  const away = {
    watch: (...args: Parameters<Client["watch"]>) => (isAway ? silent() : client.watch(...args)),
    get: (...args: Parameters<Client["get"]>) => (isAway ? silent() : client.get(...args)),
    list: (...args: Parameters<Client["list"]>) => (isAway ? silent() : client.list(...args)),
  } as Client;
  beforeEach(() => {
    isAway = false;
  });

  test("for a moment ends no wait, and is told once each time", async () => {
    const waiting = wait({ client: away });
    for (let time = 0; time < 2; time++) {
      await clock.advance(1_000);
      isAway = true;
      await clock.advance(8_000);
      isAway = false;
    }
    shown.servers = [server("a", "Ready"), server("b", "Ready")];
    await clock.advance(1_000);
    expect(await waiting).toHaveLength(2);
    expect(said.filter((line) => line.includes("trying again"))).toHaveLength(2);
  });

  test("for long ends it, as does one at the end of its time", async () => {
    for (const timeoutMs of [60_000, 2_000]) {
      isAway = false;
      const ended = expect(wait({ client: away, timeoutMs })).rejects.toThrow("ECONNREFUSED");
      await clock.advance(1_000);
      isAway = true;
      await clock.advance(Math.min(timeoutMs, 11_000));
      await ended;
    }
  });
});

test("a fleet that is not there is no fleet to wait for", async () => {
  const gone = { ...client, get: () => Promise.reject(statusError("NotFound", "gone")) } as unknown as Client;
  const terminal = { out: () => {}, err: () => {} };
  const signal = new AbortController().signal;
  await expect(
    waitForFleet({ client: gone, namespace: "default", fleet: "arena", terminal, clock, signal, timeoutMs: 1 }),
  ).rejects.toMatchObject({ code: "NotFound" });
});

test("a server that a developer runs by hand under the fleet's name is none of the fleet's own", async () => {
  shown.wanted = 1;
  const byHand = server("by-hand", "Ready", { annotations: { "agones.dev/dev-address": "127.0.0.1" } });
  shown.servers = [byHand];
  const waiting = wait();
  await clock.advance(200);
  expect(said).toEqual(["Fleet arena: 0 of 1 game servers Ready"]);
  shown.servers = [byHand, server("a", "Ready")];
  await clock.advance(200);
  expect((await waiting).map(({ metadata }) => metadata.name)).toEqual(["a"]);
});
