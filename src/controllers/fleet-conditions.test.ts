/** What fleets and sets say of themselves, and what they tell once when something is wrong. */
import { describe, expect, test } from "vitest";
import { FLEETS, GAMESERVERS } from "#api/agones/resources.ts";
import { PODS } from "#api/core/resources.ts";
import { conditionOf } from "#api/meta/conditions.ts";
import { statusError } from "#api/meta/status.ts";
import { conditionOfFleet, settled, update, withFleet } from "#tests/world/arena.ts";
import { fleetOf } from "#tests/world/changes.ts";
import type { World, WorldOptions } from "#tests/world/world.ts";

const conditionOfSet = async (world: World, type: string) =>
  conditionOf((await world.sets())[0]?.status?.conditions, type);
const told = (world: World, reason: string) => world.recorder.events.filter((event) => event.reason === reason);

/** Creations of servers are refused with this text while there is one. */
const refusing = (why: { text: string | undefined; tries: number }): NonNullable<WorldOptions["disturb"]> => {
  return (client) => ({
    ...client,
    create: (type, object) => {
      if (type.plural !== GAMESERVERS.plural || why.text === undefined) return client.create(type, object);
      why.tries++;
      return Promise.reject(statusError("Forbidden", why.text));
    },
  });
};

describe("a fleet", () => {
  test("says whether a server is there to be had, and since when", async () => {
    const world = await withFleet(fleetOf("arena", 1));
    const first = await conditionOfFleet(world, "Available");
    expect(first).toMatchObject({ status: "True", reason: "ServersReady", observedGeneration: 1 });
    await world.pass(30_000, 1000);
    expect(await conditionOfFleet(world, "Available")).toEqual(first);
    await world.allocate("arena");
    await world.pass(1000);
    const later = await conditionOfFleet(world, "Available");
    expect(later).toMatchObject({
      status: "False",
      reason: "NoServersReady",
      message: "1 of 1 servers are in use, none is Ready",
    });
    const seconds = (Date.parse(later?.lastTransitionTime ?? "") - Date.parse(first?.lastTransitionTime ?? "")) / 1000;
    expect(seconds).toBeGreaterThanOrEqual(29);
    await world.scale("arena", 0);
    await world.pass(500);
    expect(await conditionOfFleet(world, "Available")).toMatchObject({ status: "False", reason: "NoServersWanted" });
  });

  test("says that it comes up, rolls out, and is up to date", async () => {
    const world = await withFleet(undefined);
    world.nodes.gamesBecomeReady = false;
    await world.api.client.create(FLEETS, fleetOf("arena", 2));
    await world.pass(500);
    expect(await conditionOfFleet(world, "Progressing")).toMatchObject({ status: "True", reason: "Scaling" });
    world.nodes.gamesBecomeReady = true;
    await settled(world);
    expect(await conditionOfFleet(world, "Progressing")).toMatchObject({ status: "False", reason: "UpToDate" });
    world.nodes.gamesBecomeReady = false;
    await update(world, "2");
    await world.pass(500);
    expect(await conditionOfFleet(world, "Progressing")).toMatchObject({ status: "True", reason: "RollingOut" });
    expect(await conditionOfFleet(world, "RolloutBlocked")).toMatchObject({ status: "False", reason: "NotBlocked" });
  });

  test("whose new servers do not become Ready keeps the old ones, and says why in a condition and one event", async () => {
    const world = await withFleet(fleetOf("arena", 4));
    world.nodes.gamesBecomeReady = false;
    await update(world, "2");
    await world.pass(600_000, 5000);
    const blocked = await conditionOfFleet(world, "RolloutBlocked");
    expect(blocked).toMatchObject({ status: "True", reason: "NewServersNotReady" });
    expect(blocked?.message).toContain("has not called Ready() of the SDK");
    expect((await world.all(FLEETS))[0]?.status?.readyReplicas).toBe(3);
    expect(told(world, "RolloutBlocked")).toEqual([
      { key: "default/arena", type: "Warning", reason: "RolloutBlocked", message: blocked?.message },
    ]);
    world.nodes.gamesBecomeReady = true;
    await settled(world);
    expect(await conditionOfFleet(world, "RolloutBlocked")).toMatchObject({ status: "False" });
  });

  test("that waits for matches on an older version says so, until they end", async () => {
    const world = await withFleet(fleetOf("arena", 2));
    await world.allocate("arena");
    await update(world, "2");
    await settled(world);
    await world.pass(500);
    expect(await conditionOfFleet(world, "RolloutBlocked")).toMatchObject({ status: "True", reason: "ServersInUse" });
    expect(told(world, "RolloutBlocked").map(({ type }) => type)).toEqual(["Normal"]);
    const match = (await world.servers()).find(({ status }) => status?.state === "Allocated");
    if (match) await world.nodes.setState(match, "Shutdown");
    await settled(world);
    await world.pass(500);
    expect(await conditionOfFleet(world, "RolloutBlocked")).toMatchObject({ status: "False", reason: "NotBlocked" });
  });
});

describe("a set", () => {
  test("whose servers no node takes names the scheduler's reason, once", async () => {
    const world = await withFleet(undefined);
    await world.nodes.remove("node-1");
    await world.api.client.create(FLEETS, fleetOf("arena", 2));
    await world.pass(10_000, 1000);
    const early = /^arena-\S+: no node takes its Pod: no nodes available to schedule pods; /;
    expect(await conditionOfSet(world, "Available")).toMatchObject({
      status: "False",
      reason: "ServersUnschedulable",
      message: expect.stringMatching(early),
    });
    expect(await conditionOfFleet(world, "Progressing")).toMatchObject({
      reason: "Scaling",
      message: expect.stringMatching(early),
    });
    await world.pass(300_000, 5000);
    const available = await conditionOfSet(world, "Available");
    expect(available).toMatchObject({ status: "False", reason: "ServersStuck" });
    expect(available?.message).toMatch(
      /^arena-\S+: no node takes its Pod: .*; 2 of 2 servers take longer than 120 s to become Ready$/,
    );
    expect(told(world, "ServersStuck")).toHaveLength(1);
    expect(await conditionOfFleet(world, "Progressing")).toMatchObject({
      reason: "Stalled",
      message: available?.message,
    });
    await world.nodes.add("node-1");
    await settled(world);
    expect(await conditionOfSet(world, "Available")).toMatchObject({ status: "True", reason: "EnoughServers" });
  });

  test("whose servers are refused by a quota says so once, asks ever more slowly, and goes on when it may", async () => {
    const why = { text: "exceeded quota: servers" as string | undefined, tries: 0 };
    const world = await withFleet(undefined, { disturb: refusing(why) });
    await world.api.client.create(FLEETS, fleetOf("arena", 40));
    await world.pass(600_000, 1000);
    expect(await conditionOfSet(world, "Available")).toMatchObject({
      status: "False",
      reason: "CreationRefused",
      message: "the API server refuses more servers: exceeded quota: servers",
    });
    expect(told(world, "CreationRefused")).toHaveLength(1);
    expect(why.tries).toBeLessThan(40);
    why.text = undefined;
    await settled(world);
    expect(await conditionOfSet(world, "Available")).toMatchObject({ status: "True" });
  });

  test.each([
    [
      "Failed",
      "StartsFail",
      /^container game ended with exit code 1; servers end before they are Ready; (one is tried every \d+ s|they are tried ever more slowly)$/,
    ],
    [
      "Succeeded",
      "StartsFail",
      /^container game exited with code 0 before it said Ready: a game must call Ready and keep running; servers end before they are Ready; (one is tried every \d+ s|they are tried ever more slowly)$/,
    ],
    [
      "FailedWhenReady",
      "FailsAfterReady",
      /^container game ended with exit code 1; servers are Ready, and fail at once; (one is tried every \d+ s|they are tried ever more slowly)$/,
    ],
  ] as const)("whose games are %s at once backs off, and tells why once", async (how, reason, words) => {
    const world = await withFleet(undefined);
    world.nodes.gamesEnd = how;
    await world.api.client.create(FLEETS, fleetOf("arena", 2));
    await world.pass(120_000, 1000);
    const condition = await conditionOfSet(world, "BackingOff");
    expect(condition).toMatchObject({ status: "True", reason, message: expect.stringMatching(words) });
    expect(told(world, "BackOff")).toHaveLength(1);
    // The pause grows, and an event does not.
    expect(condition?.message).toMatch(/one is tried every \d+ s$/);
    for (const { message } of [...told(world, "BackOff"), ...told(world, "Stalled")]) {
      expect(message).toMatch(words);
      expect(message).toMatch(/they are tried ever more slowly$/);
    }
    // Two at first, two after a second, then one after pauses that double: 2 s, 4 s ... 64 s.
    expect(told(world, "SuccessfulCreate").length).toBeLessThanOrEqual(2 + 2 + 6);
    world.nodes.gamesEnd = undefined;
    await settled(world);
    await world.pass(15_000, 500);
    expect(await conditionOfSet(world, "BackingOff")).toMatchObject({ status: "False", reason: "StartsSucceed" });
  });

  test("whose matches are short and end well, by Shutdown or with exit code 0, is never held up", async () => {
    const world = await withFleet(fleetOf("arena", 2));
    for (let match = 0; match < 20; match++) {
      const [server] = (await world.servers()).filter(({ status }) => status?.state === "Ready");
      if (!server) throw new Error(`no server is Ready for match ${match}`);
      if (match % 2 === 0) await world.nodes.setState(server, "Shutdown");
      else {
        const pod = await world.api.client.get(PODS, "default", server.metadata.name ?? "");
        await world.nodes.setStatus(pod, { phase: "Succeeded" });
      }
      await world.pass(1000);
    }
    expect(told(world, "SuccessfulCreate")).toHaveLength(2 + 20);
    expect(told(world, "BackOff")).toEqual([]);
  });

  test("says that its servers start, and when it wants none", async () => {
    const world = await withFleet(undefined);
    world.nodes.gamesBecomeReady = false;
    await world.api.client.create(FLEETS, fleetOf("arena", 2));
    await world.pass(500);
    expect(await conditionOfSet(world, "Available")).toMatchObject({
      status: "False",
      reason: "ServersStarting",
      message: "0 of 2 servers have become Ready",
    });
    await world.scale("arena", 0);
    await settled(world);
    expect(await conditionOfSet(world, "Available")).toMatchObject({ status: "True", reason: "NoServersWanted" });
  });
});
