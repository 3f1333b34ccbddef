/** What is refused of a new GameServer, and what is not: every rule with its path, reason and text. */
import type { PromiseRow } from "../meta/promise-row.ts";
import type { FeatureGates } from "./feature-gates.ts";
import { duel, manifest } from "./gameserver.fixture.ts";
import type { GameServer, GameServerPort, GameServerSpec } from "./gameserver.ts";

export interface ValidationPromise extends PromiseRow {
  readonly given: GameServer;
  readonly gates?: Partial<FeatureGates>;
  /** `<reason without FieldValue> <path>: <body>` of each fault, in order; none: it is accepted. */
  readonly faults: readonly string[];
}

const row = (
  section: string,
  name: string,
  given: GameServer,
  faults: readonly string[] = [],
  gates?: Partial<FeatureGates>,
): ValidationPromise => ({ section, name, given, faults, gates });

const ports = (...ports: readonly GameServerPort[]) => manifest({ ports });
const withResources = (resources: object) => manifest({ template: { spec: { containers: [{ ...duel, resources }] } } });
const withMetadata = (metadata: object) => manifest({ template: { metadata, spec: { containers: [duel] } } });
const two = { spec: { containers: [duel, { name: "tail" }] } };
const sidecars = {
  spec: { containers: [duel], initContainers: [{ name: "query", restartPolicy: "Always" }, { name: "init" }] },
} as const;
const withSidecars = (port: GameServerPort) => manifest({ ports: [port], template: sidecars });
const off = { CountsAndLists: false, PortPolicyNone: false };
const unless = (gate: string, what = "") =>
  `Forbidden: Value cannot be set${what} unless feature flag ${gate} is enabled`;
const NEG = "must be greater than or equal to 0";
const NAME = "Too long: may not be more than 63 bytes";
const NEEDS_PORT = "Required value: ContainerPort must be defined for Dynamic and Static PortPolicies";
const NO_PORT = "Required value: ContainerPort cannot be specified with Passthrough PortPolicy";
const NO_HOST_PORT = "Forbidden: HostPort cannot be specified with a Dynamic or Passthrough PortPolicy";
const UNNAMED = "Required value: Container is required when using multiple containers in the pod template";
const NOWHERE = "Container must be empty or the name of a container in the pod template";
const resources = "spec.template.spec.containers[0].resources";
const labels = "spec.template.metadata.labels";
const annotations = "spec.template.metadata.annotations";

const gates: readonly ValidationPromise[] = [
  row("4.6.1", "a name of 64 bytes", manifest({}, { name: "n".repeat(64) }), [`TooLong metadata.name: ${NAME}`]),
  row("4.6.1", "a name of 63 bytes", manifest({}, { name: "n".repeat(63) })),
  row("4.6.1", "a long base of a name to be made", manifest({}, { name: undefined, generateName: "n".repeat(64) })),
  row("4.6.2", "players without their gate", manifest({ players: { initialCapacity: 1n } }), [
    `Forbidden spec.players: ${unless("PlayerTracking")}`,
  ]),
  row("4.6.2", "players with their gate", manifest({ players: {} }), [], { PlayerTracking: true }),
  row(
    "4.6.3",
    "counters and lists without their gate, even empty ones",
    manifest({ counters: {}, lists: {} }),
    [`Forbidden spec.counters: ${unless("CountsAndLists")}`, `Forbidden spec.lists: ${unless("CountsAndLists")}`],
    off,
  ),
  row("4.6.3", "null counters and lists without their gate", manifest({ counters: null, lists: null }), [], off),
  row(
    "4.6.4",
    "the policy None without its gate",
    ports({ portPolicy: "None", containerPort: 7 }, { portPolicy: "None" }),
    [
      `Forbidden spec.ports[0].portPolicy: ${unless("PortPolicyNone", " to None")}`,
      `Forbidden spec.ports[1].portPolicy: ${unless("PortPolicyNone", " to None")}`,
    ],
    off,
  ),
];

const containers: readonly ValidationPromise[] = [
  row("4.6.5", "two containers and no word on which, which is told twice", manifest({ template: two }), [
    `Required spec.container: ${UNNAMED}`,
    'Invalid spec.container: Invalid value: "": Could not find a container named ',
  ]),
  row("4.6.5", "two containers and one that is named", manifest({ template: two, container: "tail" })),
  row("4.6.6", "a container that is not there", manifest({ template: two, container: "tial" }), [
    'Invalid spec.container: Invalid value: "tial": Could not find a container named tial',
  ]),
  row(
    "4.6.6",
    "a sidecar is no game",
    manifest({ template: { spec: { ...sidecars.spec, containers: two.spec.containers } }, container: "query" }),
    ['Invalid spec.container: Invalid value: "query": Could not find a container named query'],
  ),
  ...[{ spec: { containers: [] } }, {}].map((template) =>
    row(
      "4.6.6",
      `a template without containers: ${JSON.stringify(template)}`,
      manifest({ template } as GameServerSpec),
      ['Invalid spec.container: Invalid value: "": Could not find a container named '],
    ),
  ),
];

const places: readonly ValidationPromise[] = [
  ...(["Dynamic", "Static"] as const).flatMap((portPolicy) => [
    row("4.6.7", `a ${portPolicy} port without a container port`, ports({ portPolicy }), [
      `Required spec.ports[0].containerPort: ${NEEDS_PORT}`,
    ]),
    row("4.6.7", `a ${portPolicy} port`, ports({ portPolicy, containerPort: 7 })),
  ]),
  row("4.6.7", "a port that says nothing is Dynamic", ports({}), [
    `Required spec.ports[0].containerPort: ${NEEDS_PORT}`,
  ]),
  row("4.6.7", "a None port without numbers", ports({ portPolicy: "None" })),
  row("4.6.8", "a Passthrough port with a container port", ports({ portPolicy: "Passthrough", containerPort: 7 }), [
    `Required spec.ports[0].containerPort: ${NO_PORT}`,
  ]),
  row("4.6.8", "a Passthrough port", ports({ portPolicy: "Passthrough" })),
  row("4.6.9", "a Dynamic port with a host port", ports({ portPolicy: "Dynamic", containerPort: 7, hostPort: 7 }), [
    `Forbidden spec.ports[0].hostPort: ${NO_HOST_PORT}`,
  ]),
  row("4.6.9", "a Passthrough port with a host port", ports({ portPolicy: "Passthrough", hostPort: 7 }), [
    `Forbidden spec.ports[0].hostPort: ${NO_HOST_PORT}`,
  ]),
  row(
    "4.6.9",
    "Static and None ports with host ports",
    ports(
      { portPolicy: "Static", containerPort: 7, hostPort: 7 },
      { portPolicy: "None", containerPort: 7, hostPort: 7 },
    ),
  ),
  row("4.6.10", "a port of an init container that ends", withSidecars({ containerPort: 7, container: "init" }), [
    `Invalid spec.ports[0].container: Invalid value: "init": ${NOWHERE}`,
  ]),
  row("4.6.10", "a port of a sidecar", withSidecars({ containerPort: 7, container: "query" })),
  row(
    "4.6.10",
    "a port's container does not matter while the game has none",
    manifest({ template: two, ports: [{ containerPort: 7, container: "nope" }] }),
    [
      `Required spec.container: ${UNNAMED}`,
      'Invalid spec.container: Invalid value: "": Could not find a container named ',
    ],
  ),
  row(
    "4.9",
    "two Static ports of one number and protocol",
    ports(
      { portPolicy: "Static", containerPort: 1, hostPort: 7000, protocol: "TCPUDP" },
      { portPolicy: "Static", containerPort: 2, hostPort: 7000, protocol: "TCP" },
    ),
    ["Duplicate spec.ports[1].hostPort: Duplicate value: 7000"],
  ),
  row(
    "4.9",
    "two Static ports of one number and two protocols",
    ports(
      { portPolicy: "Static", containerPort: 1, hostPort: 7000, protocol: "UDP" },
      { portPolicy: "Static", containerPort: 1, hostPort: 7000, protocol: "TCP" },
    ),
  ),
  row("4.9", "an unknown range is not told", ports({ containerPort: 7, range: "nowhere" })),
  row("4.9", "names of ports may repeat", ports({ name: "a", containerPort: 7 }, { name: "a", containerPort: 7 })),
];

const amounts: readonly ValidationPromise[] = [
  row("4.6.11", "negative amounts", withResources({ limits: { cpu: "-1" }, requests: { memory: "-64Mi" } }), [
    `Invalid ${resources}.limits[cpu]: Invalid value: "-1": ${NEG}`,
    `Invalid ${resources}.requests[memory]: Invalid value: "-64Mi": ${NEG}`,
  ]),
  row(
    "4.6.11",
    "negative amounts of init containers are told first",
    manifest({
      template: {
        spec: {
          containers: [{ ...duel, resources: { limits: { cpu: "-1" } } }],
          initContainers: [{ name: "init", resources: { limits: { cpu: "-2" } } }],
        },
      },
    }),
    [
      `Invalid spec.template.spec.initContainers[0].resources.limits[cpu]: Invalid value: "-2": ${NEG}`,
      `Invalid ${resources}.limits[cpu]: Invalid value: "-1": ${NEG}`,
    ],
  ),
  row("4.6.11", "amounts of nothing", withResources({ limits: { cpu: "0" }, requests: { cpu: "0" } })),
  row("4.6.12", "a request above its limit", withResources({ limits: { cpu: "1" }, requests: { cpu: "1500m" } }), [
    `Invalid ${resources}.requests: Invalid value: "1500m": must be less than or equal to cpu limit of 1`,
  ]),
  row("4.6.12", "a request at its limit", withResources({ limits: { cpu: "1" }, requests: { cpu: "1000m" } })),
  row("4.6.12", "a request without a limit", withResources({ limits: { memory: "1" }, requests: { cpu: "9" } })),
  row("4.6.13", "without a product there is no further rule", manifest({ scheduling: "Distributed" })),
  row("4.6.14", "a label value of 64 characters", withMetadata({ labels: { ok: "y".repeat(64) } }), [
    `Invalid ${labels}: Invalid value: "${"y".repeat(64)}": must be no more than 63 characters`,
  ]),
  row("3", "a label's key and value, each with its own fault", withMetadata({ labels: { "a/b/c": "-" } }), [
    `Invalid ${labels}: Invalid value: "a/b/c": a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    `Invalid ${labels}: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
  ]),
  row("3", "a label key is held to its case", withMetadata({ labels: { "Example.com/Key": "v" } }), [
    `Invalid ${labels}: Invalid value: "Example.com/Key": prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
  ]),
  row("3", "an annotation key is not held to its case", withMetadata({ annotations: { "Example.com/Key": "any !" } })),
  row("3", "an annotation's key is checked, its value is free", withMetadata({ annotations: { "": "x" } }), [
    `Invalid ${annotations}: Invalid value: "": name part must be non-empty`,
    expectName(annotations),
  ]),
  row("3", "annotations of 256 KiB", withMetadata({ annotations: { big: "b".repeat(256 * 1024 - 3) } })),
  row("3", "annotations of one byte more", withMetadata({ annotations: { big: "b".repeat(256 * 1024 - 2) } }), [
    `TooLong ${annotations}: Too long: may not be more than 262144 bytes`,
  ]),
];

/** What is told of an empty key besides that it is empty. */
function expectName(path: string): string {
  return `Invalid ${path}: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`;
}

const dev = (spec: Partial<GameServerSpec>, address = "10.0.0.1") =>
  manifest(spec, { annotations: { "agones.dev/dev-address": address } });
const fixed = { portPolicy: "Static", hostPort: 7000 } as const;

const development: readonly ValidationPromise[] = [
  row("4.7", "a container of any name, and no container port", dev({ ports: [fixed], container: "nobody" }, "::1")),
  row("4.7", "an empty address is no development server", dev({ template: two }, ""), [
    `Required spec.container: ${UNNAMED}`,
    'Invalid spec.container: Invalid value: "": Could not find a container named ',
  ]),
  row("4.7", "its gates count", dev({ counters: {} }), [`Forbidden spec.counters: ${unless("CountsAndLists")}`], off),
  row("4.7.1", "a host name", dev({}, "localhost"), [
    'Invalid metadata.annotations.agones.dev/dev-address: Invalid value: "localhost": must be a valid IP address',
  ]),
  row("4.7.1", "an address of IPv4", dev({})),
  row("4.7.2", "no host port", dev({ ports: [{ portPolicy: "Static" }] }), [
    "Required spec.ports[0].hostPort: Required value: agones.dev/dev-address",
  ]),
  row("4.7.3", "a Dynamic port", dev({ ports: [{ portPolicy: "Dynamic", hostPort: 7000 }] }), [
    "Required spec.ports[0].portPolicy: Required value: PortPolicy must be Static",
  ]),
  row("4.7.4", "a label of its template", dev({ template: { metadata: { labels: { a: "y".repeat(64) } }, ...two } }), [
    `Invalid ${labels}: Invalid value: "${"y".repeat(64)}": must be no more than 63 characters`,
  ]),
];

const together: readonly ValidationPromise[] = [
  row("4.6", "one container and nothing else", manifest()),
  row(
    "4.6",
    "all faults are told at once",
    manifest(
      { ports: [{ portPolicy: "Static" }, { portPolicy: "Passthrough", hostPort: 4 }] },
      { name: "n".repeat(64) },
    ),
    [
      `TooLong metadata.name: ${NAME}`,
      `Required spec.ports[0].containerPort: ${NEEDS_PORT}`,
      `Forbidden spec.ports[1].hostPort: ${NO_HOST_PORT}`,
    ],
  ),
];

export const gameServers: readonly ValidationPromise[] = [
  ...gates,
  ...containers,
  ...places,
  ...amounts,
  ...development,
  ...together,
];
