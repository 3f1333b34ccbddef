/** Manifests that are wrong: refused with field, rule and value, and nothing is created. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Status } from "#api/meta/status.ts";
import { useCluster } from "./harness/cluster.ts";
import { hasKubectl } from "./harness/kubectl.ts";
import { gameSpec } from "./harness/manifests.ts";

const cluster = useCluster("--no-quick-start");

interface Manifest {
  readonly metadata: { readonly name: string };
  readonly spec: Record<string, unknown>;
}

const good = (): Manifest => ({ metadata: { name: "wrong" }, spec: gameSpec() as Record<string, unknown> });
const withSpec = (members: object): Manifest => ({ ...good(), spec: { ...good().spec, ...members } });
const withPorts = (...ports: object[]): Manifest => withSpec({ ports });
const withContainer = (members: object): Manifest =>
  withSpec({ template: { spec: { containers: [{ name: "game", image: "i", ...members }] } } });
const twoContainers = { template: { spec: { containers: ["a", "b"].map((name) => ({ name, image: "i" })) } } };
const staticPort = { portPolicy: "Static", containerPort: 7654, hostPort: 7777, protocol: "UDP" };
const longName = "n".repeat(64);

type Row = readonly [fault: string, manifest: Manifest, code: number, told: readonly RegExp[]];
const rows: readonly Row[] = [
  ["an unknown field", withSpec({ portss: [] }), 400, [/unknown field "spec\.portss"/]],
  [
    "an unknown field deep inside",
    withContainer({ imagePolicy: "x" }),
    400,
    [/unknown field "spec\.template\.spec\.containers\[0\]\.imagePolicy"/],
  ],
  [
    "a wrong type",
    withPorts({ containerPort: "many" }),
    422,
    [/spec\.ports\[0\]\.containerPort/, /integer/, /many|string/],
  ],
  ["a wrong type of a whole member", withSpec({ ports: "none" }), 422, [/spec\.ports/, /array/]],
  [
    "no container",
    withSpec({ template: { spec: { containers: [] } } }),
    422,
    [/spec\.template\.spec\.containers|spec\.container/, /Invalid value|Required value/],
  ],
  [
    "a container that is not there",
    withSpec({ container: "other", ...twoContainers }),
    422,
    [/spec\.container: Invalid value: "other": Could not find a container named other/],
  ],
  [
    "two containers and none named",
    withSpec(twoContainers),
    422,
    [/spec\.container: Required value: Container is required when using multiple containers/],
  ],
  [
    "a port policy that does not exist",
    withPorts({ containerPort: 7654, portPolicy: "Sometimes" }),
    422,
    [/spec\.ports\[0\]\.portPolicy: Unsupported value: "Sometimes": supported values: "Dynamic"/],
  ],
  [
    "a protocol that does not exist",
    withPorts({ containerPort: 7654, protocol: "ICMP" }),
    422,
    [/spec\.ports\[0\]\.protocol: Unsupported value: "ICMP"/],
  ],
  [
    "a port out of range",
    withPorts({ containerPort: 70_000 }),
    422,
    [/spec\.ports\[0\]\.containerPort: Invalid value: 70000/, /65535/],
  ],
  [
    "a dynamic port with a host port",
    withPorts({ containerPort: 7654, hostPort: 7000 }),
    422,
    [/spec\.ports\[0\]\.hostPort: Forbidden: HostPort cannot be specified with a Dynamic or Passthrough PortPolicy/],
  ],
  [
    "two static ports in conflict",
    withPorts(staticPort, staticPort),
    422,
    [/spec\.ports\[1\]\.hostPort: Duplicate value: 7777/],
  ],
  ["a name too long", { ...good(), metadata: { name: longName } }, 422, [/metadata\.name/, /63/]],
  [
    "a name with letters that may not be in it",
    { ...good(), metadata: { name: "Wrong_Name" } },
    422,
    [/metadata\.name: Invalid value: "Wrong_Name"/, /lower case|lowercase/],
  ],
  [
    "a request above its limit",
    withContainer({ resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }),
    422,
    [/resources\.requests.*Invalid value: "?2"?: must be less than or equal to cpu limit/],
  ],
  [
    "a feature that is not enabled",
    withSpec({ players: { initialCapacity: 3 } }),
    422,
    [/spec\.players: Forbidden: Value cannot be set unless feature flag PlayerTracking is enabled/],
  ],
];

const kinds = {
  GameServer: (manifest: Manifest) => manifest,
  Fleet: ({ metadata, spec }: Manifest) => ({ metadata, spec: { replicas: 1, template: { spec } } }),
} as const;
const withKind = (kind: keyof typeof kinds, manifest: Manifest) => ({
  apiVersion: "agones.dev/v1",
  kind,
  ...kinds[kind](manifest),
});

const everything = async () => {
  const lists = [
    "apis/agones.dev/v1/gameservers",
    "apis/agones.dev/v1/gameserversets",
    "apis/agones.dev/v1/fleets",
    "api/v1/pods",
  ];
  const all = await Promise.all(lists.map((list) => cluster.get<{ items: unknown[] }>(`/${list}`)));
  return all.flatMap(({ items }) => items);
};
beforeEach(async () => expect(await everything()).toEqual([]));

describe("a game server with", () => {
  it.each(rows)("%s is refused", async (_, manifest, code, told) => {
    const status = await create("gameservers", withKind("GameServer", manifest));
    expect(status).toMatchObject({ kind: "Status", status: "Failure", code });
    for (const words of told) expect(status.message).toMatch(words);
    expect(await everything()).toEqual([]);
  });
});

describe("a fleet whose servers have", () => {
  it.each(rows.filter(([fault]) => !fault.startsWith("a name")))("%s is refused", async (_, manifest, code, told) => {
    const status = await create("fleets", withKind("Fleet", manifest));
    expect(status).toMatchObject({ kind: "Status", status: "Failure", code });
    for (const words of told) expect(status.message).toMatch(inTemplate(words));
    expect(await everything()).toEqual([]);
  });
});

/** The words about a game server as they are told about the template of a fleet. */
const inTemplate = ({ source }: RegExp): RegExp =>
  new RegExp(source.replaceAll("spec\\.", "(spec\\.template\\.)?spec\\."));

async function create(plural: string, body: object): Promise<Status> {
  const answer = await cluster.ask({
    method: "POST",
    path: `/apis/agones.dev/v1/namespaces/default/${plural}?fieldValidation=Strict`,
    body,
  });
  return answer.body as Status;
}

describe("wrong manifests are told by every client:", () => {
  const input = JSON.stringify(withKind("GameServer", withPorts({ containerPort: 7654, portPolicy: "Sometimes" })));
  const told = /spec\.ports\[0\]\.portPolicy: Unsupported value: "Sometimes"/;

  it("stadion apply", async () => {
    const { code, err } = await cluster.tryStadion("apply -f -", { input });
    expect([code, err]).toEqual([1, expect.stringMatching(told)]);
  });

  it.skipIf(!hasKubectl)("kubectl apply and create", async () => {
    for (const verb of ["apply", "create"]) {
      const { code, err } = await cluster.tryKubectl(`${verb} -f -`, { input });
      expect([code, err]).toEqual([1, expect.stringMatching(told)]);
    }
  });

  it("also words that are no manifest at all, by the file's name", async () => {
    const { code, err } = await cluster.tryStadion("apply -f -", { input: "a: [b" });
    expect(code).toBe(1);
    expect(err).toMatch(/standard input|-: /);
  });
});

describe("a good manifest that is changed to a wrong one", () => {
  it("keeps what was stored", async () => {
    const path = "/apis/agones.dev/v1/namespaces/default/fleets";
    const fleet = withKind("Fleet", good());
    const { body } = await cluster.ask({
      method: "POST",
      path,
      body: { ...fleet, spec: { ...fleet.spec, replicas: 0 } },
    });
    expect(body).toMatchObject({ kind: "Fleet" });
    const patch = (spec: object) =>
      cluster.ask({
        method: "PATCH",
        path: `${path}/wrong?fieldValidation=Strict`,
        headers: { "content-type": "application/merge-patch+json" },
        body: { spec },
      });
    expect(await patch({ replicas: -1 })).toMatchObject({
      code: 422,
      body: { message: expect.stringMatching(/spec\.replicas: Invalid value: -1/) },
    });
    expect(await patch({ nonsense: 1 })).toMatchObject({
      code: 422,
      body: { message: expect.stringMatching(/unknown field \\?"spec\.nonsense/) },
    });
    expect(await cluster.get(`${path}/wrong`)).toMatchObject({ spec: { replicas: 0 } });
    await cluster.ask({ method: "DELETE", path: `${path}/wrong` });
  });
});
