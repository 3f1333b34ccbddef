/** What GKE Autopilot refuses, and how its ports and Pods differ. */
import type { PromiseRow } from "../../meta/promise-row.ts";
import type { FeatureGates } from "../feature-gates.ts";
import type { GameServerPort, GameServerSpec } from "../gameserver.ts";

interface RulePromise extends PromiseRow {
  readonly spec: Partial<GameServerSpec>;
  readonly gates?: Partial<FeatureGates>;
  /** Below the spec's path. */
  readonly faults: readonly string[];
}

const short = { GKEAutopilotExtendedDurationPods: false };
const port = (port: GameServerPort): Partial<GameServerSpec> => ({ ports: [{ containerPort: 7000, ...port }] });

export const rules: readonly RulePromise[] = [
  { section: "4.8", name: "defaults are fine", spec: port({}), faults: [] },
  {
    section: "4.8",
    name: "scheduling must be Packed",
    spec: { scheduling: "Distributed" },
    faults: ['scheduling: Invalid value: "Distributed": scheduling strategy must be Packed on GKE Autopilot'],
  },
  {
    section: "4.8",
    name: "Static ports are refused",
    spec: port({ portPolicy: "Static" }),
    faults: [
      'ports[0].portPolicy: Invalid value: "Static": portPolicy must be Dynamic, Passthrough, or None on GKE Autopilot',
    ],
  },
  {
    section: "4.8",
    name: "Passthrough and None are fine",
    spec: { ports: [{ portPolicy: "Passthrough" }, { portPolicy: "None", containerPort: 7000, range: "other" }] },
    faults: [],
  },
  {
    section: "4.8",
    name: "None needs its gate, and then a range counts too",
    spec: port({ portPolicy: "None", range: "other" }),
    gates: { PortPolicyNone: false },
    faults: [
      "ports[0].portPolicy: Forbidden: Value cannot be set to None unless feature flag PortPolicyNone is enabled",
      "ports[0].portPolicy: Invalid value: \"None\": PortPolicy 'None' is not enabled",
      'ports[0].range: Invalid value: "other": range must not be used on GKE Autopilot',
    ],
  },
  {
    section: "4.8",
    name: "there is one range",
    spec: port({ range: "other" }),
    faults: ['ports[0].range: Invalid value: "other": range must not be used on GKE Autopilot'],
  },
  { section: "4.8", name: "OnUpgrade is fine", spec: { eviction: { safe: "OnUpgrade" } }, faults: [] },
  {
    section: "4.8",
    name: "OnUpgrade needs Pods of extended duration",
    spec: { eviction: { safe: "OnUpgrade" } },
    gates: short,
    faults: ['eviction.safe: Invalid value: "OnUpgrade": eviction.safe OnUpgrade not supported on GKE Autopilot'],
  },
];

interface EvictionPromise extends PromiseRow {
  readonly safe: "Always" | "OnUpgrade" | "Never";
  /** What the template carries already. */
  readonly annotation?: string;
  readonly label?: string;
  readonly gates?: Partial<FeatureGates>;
  readonly marks: { readonly annotation?: string; readonly label: string };
}

export const evictions: readonly EvictionPromise[] = [
  { section: "5", name: "Always", safe: "Always", marks: { annotation: "true", label: "true" } },
  { section: "5", name: "OnUpgrade", safe: "OnUpgrade", marks: { annotation: "false", label: "true" } },
  { section: "5", name: "Never", safe: "Never", marks: { annotation: "false", label: "false" } },
  {
    section: "5",
    name: "the template wins",
    safe: "Never",
    annotation: "true",
    label: "true",
    marks: { annotation: "true", label: "true" },
  },
  { section: "5", name: "short-lived Always", safe: "Always", gates: short, marks: { label: "true" } },
  { section: "5", name: "short-lived Never", safe: "Never", gates: short, marks: { label: "false" } },
  {
    section: "5",
    name: "a short-lived Pod keeps no annotation that says false",
    safe: "Always",
    annotation: "false",
    gates: short,
    marks: { label: "true" },
  },
  {
    section: "5",
    name: "a short-lived Pod keeps any other annotation",
    safe: "Never",
    annotation: "true",
    label: "mine",
    gates: short,
    marks: { annotation: "true", label: "mine" },
  },
];

interface PlaceholderPromise extends PromiseRow {
  readonly ports: readonly GameServerPort[] | undefined;
  /** Name, protocol and host port of each; undefined: the server is left alone. */
  readonly placed?: readonly string[];
}

const dynamic = (name: string, protocol: "UDP" | "TCP" | "TCPUDP" = "UDP"): GameServerPort => ({
  name,
  portPolicy: "Dynamic",
  containerPort: 7000,
  protocol,
});

export const placeholders: readonly PlaceholderPromise[] = [
  {
    section: "4.9",
    name: "ports are numbered from one, and those of both protocols become neighbours",
    ports: [dynamic("a"), dynamic("b", "TCPUDP"), { ...dynamic("c", "TCP"), portPolicy: "Passthrough" }],
    placed: ["a UDP 1", "b-tcp TCP 2", "b-udp UDP 2", "c TCP 3"],
  },
  { section: "4.9", name: "a server without ports is left alone", ports: [] },
  { section: "4.9", name: "a server without a word on ports is left alone", ports: undefined },
  {
    section: "4.9",
    name: "any port of another policy, and no port gets a number",
    ports: [dynamic("a"), { ...dynamic("b"), portPolicy: "None" }],
  },
];

interface AssignedPromise extends PromiseRow {
  /** The annotation on the Pod. */
  readonly answer?: string;
  /** How many ports the status has. */
  readonly known?: number;
  readonly hostPorts: readonly number[];
}

/** A server whose ports hold the placeholders 1, 2, 2. */
export const assigned: readonly AssignedPromise[] = [
  {
    section: "5",
    name: "placeholders give way to what was assigned",
    answer: '{"min":7000,"max":8000,"portsAssigned":{"1":7321,"2":7999}}',
    hostPorts: [7321, 7999, 7999],
  },
  { section: "5", name: "without an answer they stay", hostPorts: [1, 2, 2] },
  { section: "5", name: "unanswered questions too", answer: '{"min":7000,"max":8000}', hostPorts: [1, 2, 2] },
  {
    section: "5",
    name: "so do those not assigned",
    answer: '{"portsAssigned":{"2":7999}}',
    hostPorts: [1, 7999, 7999],
  },
  {
    section: "5",
    name: "once the status has its ports they stay for good",
    answer: '{"portsAssigned":{"1":7321}}',
    known: 3,
    hostPorts: [1, 2, 2],
  },
];
