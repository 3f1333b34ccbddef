import { describe, expect, test } from "vitest";
import type { FieldError } from "../meta/field.ts";
import { defaultFleet, defaultGameServer } from "./defaults.ts";
import { featureGates } from "./feature-gates.ts";
import { duel, fleet, gameServerSet, manifest } from "./gameserver.fixture.ts";
import type { GameServer, GameServerSpec } from "./gameserver.ts";
import { validateFleet } from "./validate-fleet.ts";
import { validateGameServer } from "./validate-gameserver.ts";
import { validateGameServerSet, validateGameServerSetUpdate } from "./validate-gameserverset.ts";

const on = featureGates();
const off = featureGates({ CountsAndLists: false, PortPolicyNone: false });
const texts = (faults: readonly FieldError[]) => faults.map(({ field, body }) => `${field}: ${body}`);
const faultsOf = (gameServer: GameServer, gates = on) =>
  texts(validateGameServer(defaultGameServer(gameServer, { gates, version: "1" }), gates));
const port = (port: NonNullable<GameServerSpec["ports"]>[number], more: Partial<GameServerSpec> = {}) =>
  manifest({ ports: [port], ...more });
const withResources = (resources: object) => manifest({ template: { spec: { containers: [{ ...duel, resources }] } } });
const template = (metadata: object) => ({ metadata, spec: { containers: [duel] } });
const two = { spec: { containers: [duel, { name: "tail" }] } };
const withSidecar = {
  spec: { containers: [duel], initContainers: [{ name: "query", restartPolicy: "Always" }, { name: "init" }] },
} as const;
const longName = "n".repeat(64);

describe("a GameServer at creation", () => {
  const valid: readonly (readonly [string, GameServer])[] = [
    ["one container and no ports", manifest()],
    ["a Static port without a host port", port({ portPolicy: "Static", containerPort: 1 })],
    ["a port of a sidecar", port({ containerPort: 1, container: "query" }, { template: withSidecar })],
    ["a None port without numbers", port({ portPolicy: "None" })],
    [
      "the same Static number for two protocols",
      manifest({
        ports: [
          { portPolicy: "Static", containerPort: 1, hostPort: 7000, protocol: "UDP" },
          { portPolicy: "Static", containerPort: 1, hostPort: 7000, protocol: "TCP" },
        ],
      }),
    ],
    ["requests at their limits", withResources({ limits: { cpu: "1" }, requests: { cpu: "1000m" } })],
    ["a long generateName", manifest({}, { name: undefined, generateName: longName })],
    [
      "a development server with a Static port",
      manifest(
        { ports: [{ portPolicy: "Static", hostPort: 7000 }], container: "nobody" },
        { annotations: { "agones.dev/dev-address": "::1" } },
      ),
    ],
  ];
  test.each(valid)("may have %s", (_, gameServer) => {
    expect(faultsOf(gameServer)).toEqual([]);
  });

  const players = manifest({ players: { initialCapacity: 1n } });
  const dev = (spec: Partial<GameServerSpec>, address = "10.0.0.1") =>
    manifest(spec, { annotations: { "agones.dev/dev-address": address } });
  const rules: readonly [rule: string, gameServer: GameServer, faults: readonly string[], gatesOff?: boolean][] = [
    ["1 name", manifest({}, { name: longName }), ["metadata.name: Too long: may not be more than 63 bytes"]],
    [
      "2 players",
      players,
      ["spec.players: Forbidden: Value cannot be set unless feature flag PlayerTracking is enabled"],
    ],
    [
      "3 counters and lists",
      manifest({ counters: {}, lists: {} }),
      [
        "spec.counters: Forbidden: Value cannot be set unless feature flag CountsAndLists is enabled",
        "spec.lists: Forbidden: Value cannot be set unless feature flag CountsAndLists is enabled",
      ],
      true,
    ],
    [
      "4 policy None",
      port({ portPolicy: "None" }),
      [
        "spec.ports[0].portPolicy: Forbidden: Value cannot be set to None unless feature flag PortPolicyNone is enabled",
      ],
      true,
    ],
    [
      "5, 6 container not named",
      manifest({ template: two }),
      [
        "spec.container: Required value: Container is required when using multiple containers in the pod template",
        'spec.container: Invalid value: "": Could not find a container named ',
      ],
    ],
    [
      "6 container unknown",
      manifest({ template: two, container: "tial" }),
      ['spec.container: Invalid value: "tial": Could not find a container named tial'],
    ],
    [
      "6 no containers",
      manifest({ template: { spec: { containers: [] } } }),
      ['spec.container: Invalid value: "": Could not find a container named '],
    ],
    [
      "6 no Pod at all",
      manifest({ template: {} as GameServerSpec["template"] }),
      ['spec.container: Invalid value: "": Could not find a container named '],
    ],
    [
      "7 Dynamic",
      port({ portPolicy: "Dynamic" }),
      [
        "spec.ports[0].containerPort: Required value: ContainerPort must be defined for Dynamic and Static PortPolicies",
      ],
    ],
    [
      "7 Static",
      port({ portPolicy: "Static" }),
      [
        "spec.ports[0].containerPort: Required value: ContainerPort must be defined for Dynamic and Static PortPolicies",
      ],
    ],
    [
      "8",
      port({ portPolicy: "Passthrough", containerPort: 7 }),
      ["spec.ports[0].containerPort: Required value: ContainerPort cannot be specified with Passthrough PortPolicy"],
    ],
    [
      "9",
      port({ portPolicy: "Dynamic", containerPort: 7, hostPort: 7 }),
      ["spec.ports[0].hostPort: Forbidden: HostPort cannot be specified with a Dynamic or Passthrough PortPolicy"],
    ],
    [
      "10",
      port({ containerPort: 7, container: "init" }, { template: withSidecar }),
      [
        'spec.ports[0].container: Invalid value: "init": Container must be empty or the name of a container in the pod template',
      ],
    ],
    [
      "11",
      withResources({ limits: { cpu: "-1" }, requests: { memory: "-64Mi" } }),
      [
        'spec.template.spec.containers[0].resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        'spec.template.spec.containers[0].resources.requests[memory]: Invalid value: "-64Mi": must be greater than or equal to 0',
      ],
    ],
    [
      "12",
      withResources({ limits: { cpu: "1" }, requests: { cpu: "1500m" } }),
      [
        'spec.template.spec.containers[0].resources.requests: Invalid value: "1500m": must be less than or equal to cpu limit of 1',
      ],
    ],
    [
      "14",
      manifest({ template: template({ labels: { ok: "y".repeat(64) } }) }),
      [`spec.template.metadata.labels: Invalid value: "${"y".repeat(64)}": must be no more than 63 characters`],
    ],
    [
      "Static ports in conflict",
      manifest({
        ports: [
          { portPolicy: "Static", containerPort: 1, hostPort: 7000, protocol: "TCPUDP" },
          { portPolicy: "Static", containerPort: 2, hostPort: 7000, protocol: "TCP" },
        ],
      }),
      ["spec.ports[1].hostPort: Duplicate value: 7000"],
    ],
    [
      "D1",
      dev({}, "localhost"),
      ['metadata.annotations.agones.dev/dev-address: Invalid value: "localhost": must be a valid IP address'],
    ],
    [
      "D2, D3",
      dev({ ports: [{ portPolicy: "Dynamic", containerPort: 1 }] }),
      [
        "spec.ports[0].hostPort: Required value: agones.dev/dev-address",
        "spec.ports[0].portPolicy: Required value: PortPolicy must be Static",
      ],
    ],
    [
      "D4",
      dev({ template: template({ labels: { "": "x" } }) }),
      [
        'spec.template.metadata.labels: Invalid value: "": name part must be non-empty',
        expect.stringContaining("spec.template.metadata.labels"),
      ],
    ],
    [
      "an empty dev-address is no development server",
      dev({ template: two }, ""),
      [expect.stringContaining("spec.container"), expect.stringContaining("spec.container")],
    ],
    [
      "all faults at once",
      manifest({ ports: [{ portPolicy: "Static" }, { portPolicy: "Passthrough", hostPort: 4 }] }, { name: longName }),
      [
        expect.stringContaining("metadata.name"),
        expect.stringContaining("spec.ports[0].containerPort"),
        expect.stringContaining("spec.ports[1].hostPort"),
      ],
    ],
  ];
  test.each(rules)("rule %s", (...[, gameServer, expected, gatesOff]: (typeof rules)[number]) => {
    expect(faultsOf(gameServer, gatesOff ? off : on)).toEqual(expected);
  });

  test("annotations are checked in lower case and by their size in all", () => {
    const annotations = { "Example.com/Key": "v", big: "b".repeat(256 * 1024) };
    expect(faultsOf(manifest({ template: template({ annotations }) }))).toEqual([
      "spec.template.metadata.annotations: Too long: may not be more than 262144 bytes",
    ]);
  });
});

describe("a Fleet", () => {
  const faults = (spec: Parameters<typeof fleet>[0], gates = on) =>
    texts(validateFleet(defaultFleet(fleet(spec), "1"), gates));
  const rolling = (rollingUpdate: object) => ({ strategy: { type: "RollingUpdate", rollingUpdate } }) as const;

  test.each(["1%", "99%", "30", "%5%", 1, 100])("may surge by %j", (maxSurge) => {
    expect(faults(rolling({ maxSurge, maxUnavailable: maxSurge }))).toEqual([]);
  });

  test.each(["0%", "100%", "", "1.5%", "many", "-5%"])("may not surge by %j", (maxSurge) => {
    const text = `Invalid value: ${JSON.stringify(maxSurge)}: must be between 1% and 99%`;
    expect(faults(rolling({ maxSurge, maxUnavailable: maxSurge }))).toEqual([
      `spec.strategy.rollingUpdate.maxUnavailable: ${text}`,
      `spec.strategy.rollingUpdate.maxSurge: ${text}`,
    ]);
  });

  const bad = { spec: { ...manifest().spec, template: two } };
  test.each([
    [
      "a number below 1",
      rolling({ maxSurge: 0, maxUnavailable: 1 }),
      ["spec.strategy.rollingUpdate.maxSurge: Invalid value: 0: must be at least 1"],
    ],
    [
      "an unknown strategy",
      { strategy: { type: "Blue" as "Recreate" } },
      ['spec.strategy.type: Unsupported value: "Blue": supported values: "RollingUpdate", "Recreate"'],
    ],
    [
      "its template's faults, with their path",
      { template: bad },
      [
        "spec.template.spec.container: Required value: Container is required when using multiple containers in the pod template",
        'spec.template.spec.container: Invalid value: "": Could not find a container named ',
      ],
    ],
    [
      "a bad label on the template or the overflow",
      {
        template: { metadata: { labels: { a: "!" } }, spec: manifest().spec },
        allocationOverflow: { labels: { b: "?" } },
      },
      [
        expect.stringMatching(/^spec\.template\.metadata\.labels: Invalid value: "!"/),
        expect.stringMatching(/^spec\.allocationOverflow\.labels: Invalid value: "\?"/),
      ],
    ],
  ])("is refused for %s", (_, spec, expected) => {
    expect(faults(spec)).toEqual(expected);
  });

  test("ignores a template's dev-address and needs the gate for priorities", () => {
    const metadata = { annotations: { "agones.dev/dev-address": "nowhere" } };
    expect(faults({ template: { metadata, spec: manifest().spec } })).toEqual([]);
    expect(faults({ priorities: [] }, off)).toEqual([
      "spec.priorities: Forbidden: FeatureCountsAndLists is not enabled",
    ]);
  });

  test("that lost its strategy, or half of it, on an update is refused", () => {
    expect(texts(validateFleet(fleet(), on))).toEqual([
      'spec.strategy.type: Unsupported value: "": supported values: "RollingUpdate", "Recreate"',
    ]);
    expect(texts(validateFleet(fleet({ strategy: { type: "RollingUpdate" } }), on))).toEqual([
      "spec.strategy.rollingUpdate: Required value: must be set when the strategy type is RollingUpdate",
    ]);
    expect(texts(validateFleet(fleet(rolling({ maxSurge: 1 })), on))).toEqual([
      "spec.strategy.rollingUpdate.maxUnavailable: Required value: must be set when the strategy type is RollingUpdate",
    ]);
  });

  test("name and template of a set or Fleet are refused as a GameServer's are", () => {
    const name = ["metadata.name: Too long: may not be more than 63 bytes"];
    expect(texts(validateFleet(defaultFleet(fleet({}, { name: longName }), "1"), on))).toEqual(name);
    expect(texts(validateGameServerSet(gameServerSet({}, { name: longName }), on))).toEqual(name);
  });
});

describe("a GameServerSet", () => {
  test("is checked like a Fleet's template", () => {
    const bad = gameServerSet({ template: { spec: manifest({ template: two }).spec }, priorities: [] });
    expect(texts(validateGameServerSet(bad, off))).toEqual([
      expect.stringContaining("spec.template.spec.container"),
      expect.stringContaining("spec.template.spec.container"),
      "spec.priorities: Forbidden: FeatureCountsAndLists is not enabled",
    ]);
  });

  test("keeps its template; replicas, scheduling and another writing of the same may change", () => {
    const cpu = (value: string) =>
      gameServerSet({ template: { spec: withResources({ limits: { cpu: value } }).spec }, replicas: 1 });
    const more = { ...cpu("1"), spec: { ...cpu("1").spec, replicas: 9, scheduling: "Distributed" as const } };
    expect(validateGameServerSetUpdate(cpu("1000m"), more)).toEqual([]);
    const faults = validateGameServerSetUpdate(cpu("1"), cpu("2"));
    expect(faults).toMatchObject([{ field: "spec.template", reason: "FieldValueInvalid" }]);
    expect(faults[0]?.body).toMatch(/GameServerSet template cannot be updated$/);
  });
});
