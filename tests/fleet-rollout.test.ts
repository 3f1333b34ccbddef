/** What a studio sees of a fleet through kubectl: its conditions, its number, its events. */
import { afterEach, describe, expect, it } from "vitest";
import { parseJson, stringifyJson } from "#api/meta/json.ts";
import { useCluster } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { hasKubectl } from "./harness/kubectl.ts";
import { fleet } from "./harness/manifests.ts";

const cluster = useCluster("--no-quick-start");
const kubectl = cluster.kubectl.bind(cluster);
const apply = (input: string) => kubectl("apply -f -", { input });
const quick = { replicas: 2, grace: 1 };

afterEach(async () => {
  await kubectl("delete fleets --all --wait=false");
  await eventually(async () => expect(await cluster.gameServers()).toEqual([]));
});

describe.skipIf(!hasKubectl)("kubectl", () => {
  it("waits for a fleet that is available, up to date, and free of old versions", async () => {
    await apply(fleet("arena", { ...quick, labels: { version: "one" } }));
    await kubectl("wait fleet/arena --for=condition=Available --timeout=60s");
    await kubectl("wait fleet/arena --for=condition=Progressing=False --timeout=60s");
    await cluster.stadion("allocate arena");
    await apply(fleet("arena", { ...quick, labels: { version: "two" } }));
    await kubectl("wait fleet/arena --for=condition=RolloutBlocked --timeout=60s");
    await eventually(async () => {
      const described = await kubectl("describe fleet arena");
      expect(described).toMatch(/Reason: +ServersInUse/);
      expect(described).toMatch(/Normal +RolloutBlocked .*1 servers of older versions are Allocated or Reserved/);
    });
    await kubectl("wait gameserversets --all --for=condition=Available --timeout=60s");
  });

  it("tells why a new version does not come up, while the old one serves on", async () => {
    await apply(fleet("arena", { ...quick, replicas: 4 }));
    await cluster.servers("arena", 4);
    await apply(fleet("arena", { ...quick, replicas: 4, args: ["--no-such-flag"] }));
    await kubectl("wait fleet/arena --for=condition=RolloutBlocked --timeout=60s");
    await eventually(async () => {
      const described = await kubectl("describe fleet arena");
      expect(described).toMatch(/Reason: +NewServersNotReady/);
      expect(described).toMatch(
        /Warning +RolloutBlocked .*container game ended with exit code \d+.*; servers end before they are Ready/,
      );
    });
    expect((await cluster.fleet("arena")).status?.readyReplicas).toBeGreaterThanOrEqual(3);
  });

  it("scales by the subresource and by a patch, and to none", async () => {
    await apply(fleet("arena", { ...quick, replicas: 1 }));
    await cluster.servers("arena", 1);
    await kubectl("scale fleet arena --replicas=3");
    await cluster.servers("arena", 3);
    await kubectl(["patch", "fleet", "arena", "--type=merge", "-p", '{"spec":{"replicas":2}}']);
    await cluster.servers("arena", 2);

    await kubectl("scale fleet arena --replicas=0");
    await cluster.servers("arena", 0);
    await kubectl("wait fleet/arena --for=condition=Available=False --timeout=30s");
  });

  it("leaves the number alone when a manifest has none, and surges by what a scaler set", async () => {
    const manifest = (version: string): string => {
      const { spec, ...rest } = parseJson(fleet("arena", { ...quick, labels: { version } })) as {
        readonly spec: { readonly replicas: number };
      };
      const { replicas: _, ...without } = spec;
      return stringifyJson({ ...rest, spec: without });
    };
    await apply(manifest("one"));
    expect((await cluster.fleet("arena")).spec.replicas).toBe(0);
    await kubectl("scale fleet arena --replicas=2");
    await cluster.servers("arena", 2);
    await apply(manifest("two"));
    await eventually(async () => {
      const servers = await cluster.servers("arena", 2);
      expect(servers.map(({ metadata }) => metadata.labels?.version)).toEqual(["two", "two"]);
    });
    expect((await cluster.fleet("arena")).spec.replicas).toBe(2);
  });

  it("takes a name of 63 characters and refuses one of 64; a strategy that is none is refused at its field", async () => {
    const name = "a".repeat(63);
    await apply(fleet(name, { ...quick, replicas: 1 }));
    const [server] = await cluster.servers(name, 1);
    expect(server?.metadata.name?.length).toBeLessThanOrEqual(63);
    const long = await cluster.tryKubectl("apply -f -", { input: fleet("a".repeat(64), quick) });
    expect(long.code).not.toBe(0);
    expect(long.err).toMatch(/metadata\.name/);
    const patch = '{"spec":{"strategy":{"type":""}}}';
    const strategy = await cluster.tryKubectl(["patch", "fleet", name, "--type=merge", "-p", patch]);
    expect(strategy.code).not.toBe(0);
    expect(strategy.err).toMatch(
      /spec\.strategy\.type: Unsupported value: "".*"RollingUpdate", "Recreate"|Unsupported value/,
    );
  });
});
