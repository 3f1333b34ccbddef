/** A fleet's life: more and fewer servers, a new version, an accident, the end. */
import { afterEach, describe, expect, it } from "vitest";
import type { GameServer } from "#api/agones/gameserver.ts";
import { useCluster } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { fleet } from "./harness/manifests.ts";
import { isAlive } from "./harness/processes.ts";

const cluster = useCluster("--no-quick-start");
const stadion = cluster.stadion.bind(cluster);
const apply = (input: string) => stadion("apply -f -", { input });
const names = (servers: readonly GameServer[]) => servers.map(({ metadata }) => metadata.name ?? "");
const allocate = async () => (await stadion("allocate arena")).split("\n")[1]?.split(" ")[0] ?? "";

/** Until no process and no object of the fleet is left. */
const deleteFleet = async () => {
  await stadion("delete fleet arena --ignore-not-found");
  await eventually(async () => {
    for (const kind of ["apis/agones.dev/v1/gameservers", "apis/agones.dev/v1/gameserversets", "api/v1/pods"])
      expect((await cluster.get<{ items: unknown[] }>(`/${kind}`)).items).toEqual([]);
    expect((await cluster.containers()).size).toBe(0);
  });
};
afterEach(deleteFleet);

describe("a fleet", () => {
  it("grows and shrinks; servers in a match are not touched, and no port is given twice", async () => {
    await apply(fleet("arena", { replicas: 2 }));
    const two = await cluster.servers("arena", 2);
    await stadion("scale fleet arena --replicas 4");
    const four = await cluster.servers("arena", 4);
    expect(names(four)).toEqual(expect.arrayContaining(names(two)));
    expect(new Set(four.map(({ status }) => status?.ports?.[0]?.port)).size).toBe(4);

    const match = await allocate();
    const pid = await cluster.pid(match);
    await stadion("scale fleet arena --replicas 0");
    const [left] = await cluster.servers("arena", 1, ["Allocated"]);
    expect(left?.metadata.name).toBe(match);
    expect(await cluster.pid(match)).toBe(pid);
    await eventually(async () => expect([...(await cluster.containers()).keys()]).toEqual([match]));
    expect((await cluster.fleet("arena")).status).toMatchObject({
      replicas: 1,
      readyReplicas: 0,
      allocatedReplicas: 1,
    });
  });

  it("rolls over to a new template; the server in a match stays until it is done", async () => {
    await apply(fleet("arena", { replicas: 3, labels: { version: "one" } }));
    const old = names(await cluster.servers("arena", 3));
    const match = await allocate();
    const pid = await cluster.pid(match);
    await apply(fleet("arena", { replicas: 3, labels: { version: "two" } }));
    const servers = await eventually(async () => {
      const servers = await cluster.gameServers("arena");
      expect(servers.map(({ metadata, status }) => `${metadata.labels?.version} ${status?.state}`).sort()).toEqual([
        "one Allocated",
        "two Ready",
        "two Ready",
      ]);
      return servers;
    });
    expect(names(servers).filter((name) => old.includes(name))).toEqual([match]);
    expect(await cluster.pid(match)).toBe(pid);
    await stadion(`delete gs ${match}`);
    await eventually(async () => {
      const versions = (await cluster.servers("arena", 3)).map(({ metadata }) => metadata.labels?.version);
      expect(versions).toEqual(["two", "two", "two"]);
    });
    const { items } = await cluster.get<{ items: unknown[] }>("/apis/agones.dev/v1/gameserversets");
    expect(items).toHaveLength(1);
  });

  const accidents: readonly (readonly [string, (name: string) => Promise<unknown>])[] = [
    ["whose process was killed", async (name) => process.kill(await cluster.pid(name), "SIGKILL")],
    ["whose process hangs", async (name) => process.kill(await cluster.pid(name), "SIGSTOP")],
    ["whose Pod was deleted", (name) => stadion(`delete pod ${name}`)],
  ];
  it.each(accidents)("replaces a server %s, after it was Unhealthy", async (_, happen) => {
    // The game pings every two seconds.
    const health = { periodSeconds: 3, failureThreshold: 1, initialDelaySeconds: 1 };
    await apply(fleet("arena", { replicas: 2, health, grace: 1 }));
    const before = names(await cluster.servers("arena", 2));
    const [victim = ""] = before;
    const pid = await cluster.pid(victim);
    await using watch = cluster.startStadion("watch gs");
    await watch.prints(new RegExp(`${victim} +Ready`));
    await happen(victim);
    await watch.prints(new RegExp(`${victim} +Unhealthy`));
    await eventually(async () => {
      const after = names(await cluster.servers("arena", 2));
      expect(after).not.toContain(victim);
      expect(after).toContain(before[1]);
    });
    expect(isAlive(pid)).toBe(false);
    const events = `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3D${victim}`;
    expect((await cluster.get<{ items: { reason: string }[] }>(events)).items).toContainEqual(
      expect.objectContaining({ reason: "Unhealthy" }),
    );
  });

  it("is deleted with all that belongs to it: sets, servers, pods, processes", async () => {
    await apply(fleet("arena", { replicas: 2 }));
    await cluster.servers("arena", 2);
    await allocate();
    const pids = [...(await cluster.containers()).values()].map(({ pid }) => pid ?? 0);
    expect(pids.filter(isAlive)).toHaveLength(2);
    await deleteFleet();
    expect(pids.filter(isAlive)).toEqual([]);
  });
});
