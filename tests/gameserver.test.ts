/** A game server by itself, as kubectl, players and its game see it; with and without sidecar containers. */
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { GameServer, GameServerPort } from "#api/agones/gameserver.ts";
import { stringifyJson } from "#api/meta/json.ts";
import { askTcp, askUdp, type GameAddress } from "./harness/ask.ts";
import { type Cluster, useCluster } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { hasKubectl } from "./harness/kubectl.ts";
import { type GameOptions, gameServer, gameSpec } from "./harness/manifests.ts";
import { readProcess } from "./harness/processes.ts";

const addressOf = ({ status }: GameServer, port = 0): GameAddress => ({
  address: status?.address ?? "",
  port: status?.ports?.[port]?.port ?? 0,
});
const apply = (cluster: Cluster, input: string) => cluster.stadion("apply -f -", { input });
const withPorts = (name: string, ports: readonly GameServerPort[], game?: GameOptions): string =>
  stringifyJson({
    apiVersion: "agones.dev/v1",
    kind: "GameServer",
    metadata: { name },
    spec: { ...gameSpec(game), ports },
  });
const gone = (cluster: Cluster, name: string) =>
  eventually(async () => {
    const names = (await cluster.gameServers()).map(({ metadata }) => metadata.name);
    expect(names).not.toContain(name);
  });
interface SdkAnswer {
  readonly object_meta?: { readonly deletion_timestamp: string };
}

/** What a game sees of its SDK server, over REST. */
async function sdkOf(cluster: Cluster, name: string) {
  const pid = await eventually(() => cluster.pid(name));
  const { AGONES_SDK_HTTP_PORT: port = "" } = readProcess(pid)?.environment ?? {};
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(`http://localhost:${port}${path}`, { method, body: body && JSON.stringify(body) });
    return { code: response.status, body: (await response.json()) as SdkAnswer };
  };
}

describe("a game server", () => {
  const cluster = useCluster("--no-quick-start", "--game-ports", "23000-23999");

  it("keeps the version it was made by, and is Unhealthy without signs of life unless it asked not to be checked", async () => {
    const health = { periodSeconds: 3, failureThreshold: 1, initialDelaySeconds: 1 };
    await apply(cluster, gameServer("careless", { health: { ...health, disabled: true } }));
    await apply(cluster, gameServer("checked", { health }));
    const careless = await cluster.server("careless");
    const checked = await cluster.server("checked");
    const version = careless.metadata.annotations?.["agones.dev/sdk-version"];
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    await askUdp(addressOf(careless), "ANNOTATION map dust");
    await askUdp(addressOf(careless), "UNHEALTHY");
    await askUdp(addressOf(checked), "UNHEALTHY");
    await cluster.server("checked", "Unhealthy");
    const { metadata } = await cluster.server("careless");
    expect(metadata.annotations).toMatchObject({ "agones.dev/sdk-map": "dust", "agones.dev/sdk-version": version });
  });

  it("is gone when its process ends well, and Unhealthy when it crashes or its Pod is deleted", async () => {
    for (const name of ["well", "crash", "lost"]) await apply(cluster, gameServer(name, { grace: 1 }));
    const servers = await Promise.all(["well", "crash", "lost"].map((name) => cluster.server(name)));
    const [well, crash] = servers;
    if (!well || !crash) throw new Error("no servers");
    askUdp(addressOf(well), "CRASH 0").catch(() => "is not answered");
    askUdp(addressOf(crash), "CRASH 7").catch(() => "is not answered");
    await cluster.stadion("delete pod lost");
    await gone(cluster, "well");
    await cluster.server("crash", "Unhealthy");
    await cluster.server("lost", "Unhealthy");
    // Nobody replaces a server that nobody owns.
    expect((await cluster.gameServers()).map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(["crash", "lost"]),
    );
  });

  it.skipIf(!hasKubectl)("is evicted only when it says that it may be, and is Unhealthy then", async () => {
    await apply(cluster, gameServer("stays"));
    await apply(cluster, gameServer("evicted", { grace: 1, eviction: { safe: "Always" } }));
    await cluster.server("stays");
    await cluster.server("evicted");
    const evict = (name: string) => {
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: "default" } };
      const path = `/api/v1/namespaces/default/pods/${name}/eviction`;
      return cluster.tryKubectl(["create", "--raw", path, "-f", "-"], { input: JSON.stringify(eviction) });
    };
    const refused = await evict("stays");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("Cannot evict pod as it would violate the pod's disruption budget");
    expect((await evict("evicted")).code).toBe(0);
    await cluster.server("evicted", "Unhealthy");
    await cluster.server("stays", "Ready");
  });

  it("is reached at Static ports of both protocols, and at the port that is passed through", async () => {
    const fixed: GameServerPort = {
      name: "play",
      portPolicy: "Static",
      hostPort: 24_654,
      containerPort: 7654,
      protocol: "TCPUDP",
    };
    await apply(cluster, withPorts("fixed", [fixed], { env: [{ name: "TCP", value: "true" }] }));
    await apply(
      cluster,
      withPorts("through", [{ name: "play", portPolicy: "Passthrough" }], { args: ["--passthrough"] }),
    );
    const server = await cluster.server("fixed");
    expect(server.spec.ports?.map(({ name, protocol, hostPort }) => `${name} ${protocol} ${hostPort}`)).toEqual([
      "play-tcp TCP 24654",
      "play-udp UDP 24654",
    ]);
    expect(await askTcp(addressOf(server, 0), "hello")).toBe("ACK TCP: hello\n\n");
    expect(await askUdp(addressOf(server, 1), "hello")).toBe("ACK: hello\n");
    const through = await cluster.server("through");
    const [port] = through.spec.ports ?? [];
    expect(port?.containerPort).toBe(port?.hostPort);
    expect(await askUdp(addressOf(through), "hello")).toBe("ACK: hello\n");
  });

  it("goes through the states its game asks for, and holds a reservation without an end", async () => {
    await apply(cluster, gameServer("reserved", { args: ["--ready=false"] }));
    await cluster.server("reserved", "Scheduled");
    const sdk = await sdkOf(cluster, "reserved");
    await sdk("POST", "/ready", {});
    await cluster.server("reserved");
    await sdk("POST", "/reserve", { seconds: "0" });
    await cluster.server("reserved", "Reserved");
    await sdk("POST", "/allocate", {});
    await cluster.server("reserved", "Allocated");
    await sdk("POST", "/reserve", { seconds: "1" });
    const { status } = await cluster.server("reserved", "Reserved");
    expect(status?.reservedUntil).toBeTruthy();
    await cluster.server("reserved");
    await sdk("POST", "/shutdown", {});
    await gone(cluster, "reserved");
  });

  it("still hears its game while it is being deleted, until the game has ended", async () => {
    const args = ["--gracefulTerminationDelaySec", "30"];
    await apply(cluster, gameServer("leaving", { args, grace: 60 }));
    const server = await cluster.server("leaving");
    const sdk = await sdkOf(cluster, "leaving");
    await cluster.stadion("delete gs leaving");
    await eventually(async () => {
      const { body } = await sdk("GET", "/gameserver");
      expect(body.object_meta?.deletion_timestamp).not.toBe("0");
    });
    expect(await sdk("PUT", "/metadata/label", { key: "last", value: "words" })).toMatchObject({ code: 200 });
    await eventually(async () => {
      const [left] = (await cluster.gameServers()).filter(({ metadata }) => metadata.name === "leaving");
      expect(left?.metadata.labels).toMatchObject({ "agones.dev/sdk-last": "words" });
    });
    askUdp(addressOf(server), "CRASH 0").catch(() => "is not answered");
    await gone(cluster, "leaving");
  });

  it.skipIf(!hasKubectl)(
    "on somebody's own machine is Ready without a Pod, can be allocated, and goes at once",
    async () => {
      const laptop = {
        apiVersion: "agones.dev/v1",
        kind: "GameServer",
        metadata: {
          name: "laptop",
          labels: { kind: "laptop" },
          annotations: { "agones.dev/dev-address": "192.0.2.9" },
        },
        spec: {
          container: "nowhere",
          ports: [{ name: "play", portPolicy: "Static", hostPort: 7777, containerPort: 7777 }],
          template: { spec: { containers: [{ name: "game", image: "game:1" }] } },
        },
      };
      await apply(cluster, stringifyJson(laptop));
      await cluster.server("laptop");
      const allocation = {
        apiVersion: "allocation.agones.dev/v1",
        kind: "GameServerAllocation",
        spec: { selectors: [{ matchLabels: { kind: "laptop" } }] },
      };
      const made = parse(await cluster.kubectl("create -o yaml -f -", { input: stringifyJson(allocation) }));
      expect(made.status).toMatchObject({ state: "Allocated", gameServerName: "laptop", address: "192.0.2.9" });
      expect(await cluster.kubectl("get pods laptop --ignore-not-found")).toBe("");
      await cluster.kubectl("delete gs laptop");
      await gone(cluster, "laptop");
    },
  );
});

describe("a game server without sidecar containers", () => {
  const cluster = useCluster(
    "--no-quick-start",
    "--game-ports",
    "23000-23999",
    "--feature-gates",
    "SidecarContainers=false",
  );

  it("is started again when it crashes before it is Ready, and lost when it crashes after", async () => {
    await apply(cluster, gameServer("restarted", { args: ["--ready=false"] }));
    const server = await cluster.server("restarted", "Scheduled");
    const pid = await eventually(() => cluster.pid("restarted"));
    const crash = () => askUdp(addressOf(server), "CRASH 3").catch(() => "is not answered");
    await eventually(() => askUdp(addressOf(server), "hello"));
    void crash();
    await eventually(async () => expect(await cluster.pid("restarted")).not.toBe(pid));
    expect((await cluster.server("restarted", "Scheduled")).status?.state).toBe("Scheduled");
    await eventually(() => askUdp(addressOf(server), "READY"));
    const { metadata } = await cluster.server("restarted");
    const pod = await cluster.get<GameServer>("/api/v1/namespaces/default/pods/restarted");
    const mark = metadata.annotations?.["agones.dev/ready-container-id"];
    expect(mark).toBeTruthy();
    expect(pod.metadata.annotations?.["agones.dev/ready-container-id"]).toBe(mark);
    void crash();
    await cluster.server("restarted", "Unhealthy");
  });

  it("is Unhealthy when its Static port is taken on the only node", async () => {
    const ports: GameServerPort[] = [{ name: "play", portPolicy: "Static", hostPort: 24_655, containerPort: 7654 }];
    await apply(cluster, withPorts("first", ports));
    await cluster.server("first");
    await apply(cluster, withPorts("second", ports));
    await cluster.server("second", "Unhealthy");
    expect((await cluster.server("first")).status?.state).toBe("Ready");
  });
});
