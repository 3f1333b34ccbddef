/** The SDK server beside a game, with the published client. */
import { get } from "node:http";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { GameServer, GameServerState } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { isNotFound } from "#api/meta/status.ts";
import { eventually } from "#tests/harness/eventually.ts";
import { SdkServerProgram } from "#tests/harness/sdk-server.ts";
import { bundle } from "../../../tools/build/bundle.ts";
import { type RigCluster, SILENT_IMAGE } from "../rig/cluster.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** Tests on a cluster that runs with a controller. */
export function sidecarCases(cluster: () => RigCluster): void {
  beforeAll(() => bundle(ROOT, join(ROOT, "dist")));

  /** A server whose Pod runs and whose game has not said anything yet. */
  const scheduled = async (name: string, health: GameServer["spec"]["health"] = { disabled: true }): Promise<void> => {
    await cluster().client.create(GAMESERVERS, {
      apiVersion: "agones.dev/v1",
      kind: "GameServer",
      metadata: { name, namespace: "default" },
      spec: {
        ports: [{ name: "play", containerPort: 7777 }],
        health,
        counters: { rooms: { count: 1n, capacity: 9_007_199_254_740_993n } },
        lists: { maps: { capacity: 2n, values: ["dust"] } },
        template: { spec: { containers: [{ name: "game", image: SILENT_IMAGE }] } },
      },
    });
    await hasState(name, "Scheduled");
  };
  const server = (name: string): Promise<GameServer> => cluster().client.get(GAMESERVERS, "default", name);
  const hasState = (name: string, state: GameServerState): Promise<void> =>
    eventually(async () => expect((await server(name)).status?.state).toBe(state));
  const sidecar = (name: string, ...flags: readonly string[]) =>
    new SdkServerProgram(["--grpc-port=0", "--http-port=0", "--health-port=0", ...flags], {
      GAMESERVER_NAME: name,
      POD_NAMESPACE: "default",
      KUBECONFIG: cluster().server.kubeconfig,
    });
  const probe = async (program: SdkServerProgram): Promise<number | undefined> => {
    const { healthPort } = await program.ports();
    return new Promise((resolve, reject) => {
      get({ port: healthPort, path: "/gshealthz" }, (response) => resolve(response.resume().statusCode)).on(
        "error",
        reject,
      );
    });
  };

  test("a game becomes Ready, is allocated, counts, labels itself, and is gone after its Shutdown", async () => {
    await scheduled("lives");
    await using program = sidecar("lives");
    const sdk = await program.client();
    await sdk.ready();
    await hasState("lives", "Ready");
    await sdk.setLabel("mode", "duel");
    await sdk.allocate();
    await hasState("lives", "Allocated");
    const { httpPort } = await program.ports();
    const answer = await fetch(`http://localhost:${httpPort}/v1beta1/counters/rooms`, {
      method: "PATCH",
      body: JSON.stringify({ count: "9007199254740993" }),
    });
    expect(await answer.json()).toEqual({ name: "rooms", count: "9007199254740993", capacity: "9007199254740993" });
    await fetch(`http://localhost:${httpPort}/v1beta1/lists/maps:addValue`, {
      method: "POST",
      body: '{"value":"ice"}',
    });
    await eventually(async () => {
      const { metadata, status } = await server("lives");
      expect(metadata.labels).toMatchObject({ "agones.dev/sdk-mode": "duel" });
      expect(status).toMatchObject({
        counters: { rooms: { count: 9_007_199_254_740_993n } },
        lists: { maps: { values: ["dust", "ice"] } },
      });
    });
    await sdk.shutdown();
    await eventually(async () => {
      const gone = await server("lives").then(
        () => false,
        (error: unknown) => isNotFound(error),
      );
      expect(gone).toBe(true);
    });
  });

  test("a game that falls silent is Unhealthy", async () => {
    await scheduled("silent", { periodSeconds: 1, failureThreshold: 2 });
    await using program = sidecar("silent");
    const sdk = await program.client();
    await sdk.ready();
    await hasState("silent", "Ready");
    expect(await probe(program)).toBe(200);
    await hasState("silent", "Unhealthy");
  });

  test("a sidecar that died leaves a Ready game Ready, and serves it again", async () => {
    await scheduled("again", { periodSeconds: 1, failureThreshold: 1 });
    {
      await using program = sidecar("again");
      const sdk = await program.client();
      await sdk.ready();
      await hasState("again", "Ready");
      program.signal("SIGKILL");
      await program.ended;
    }
    await using program = sidecar("again");
    await program.prints(/GameServer is known/);
    expect(await probe(program)).toBe(200);
    const sdk = await program.client();
    await sdk.reserve(3);
    await hasState("again", "Reserved");
    await hasState("again", "Ready");
    expect(await probe(program)).toBe(200);
  });
}
