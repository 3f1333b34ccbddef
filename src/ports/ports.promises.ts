/** Which host ports a server gets, from a range `default` of one number and a range `tools` of another. */
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { GameServerPort } from "#api/agones/gameserver.ts";
import type { PromiseRow } from "#api/meta/promise-row.ts";

interface PortsPromise extends PromiseRow {
  readonly ports: readonly GameServerPort[];
  readonly gates?: Pick<FeatureGates, "PortRanges">;
  readonly become: readonly GameServerPort[];
}

const DEFAULT = 7000;
const TOOLS = 8000;
export const RANGES = { standard: { min: DEFAULT, max: DEFAULT }, additional: `{"tools":[${TOOLS},${TOOLS}]}` };

const dynamic: GameServerPort = { name: "play", portPolicy: "Dynamic", containerPort: 7654, protocol: "UDP" };
const passthrough: GameServerPort = { name: "pass", portPolicy: "Passthrough", protocol: "UDP" };
const fixed: GameServerPort = { portPolicy: "Static", containerPort: 1, hostPort: DEFAULT, protocol: "TCPUDP" };
const none: GameServerPort = { portPolicy: "None", containerPort: 2, protocol: "TCPUDP" };

export const ports: readonly PortsPromise[] = [
  { section: "4.9", name: "a Dynamic port", ports: [dynamic], become: [{ ...dynamic, hostPort: DEFAULT }] },
  {
    section: "4.9",
    name: "a Passthrough port has one number for both",
    ports: [passthrough],
    become: [{ ...passthrough, hostPort: DEFAULT, containerPort: DEFAULT }],
  },
  { section: "4.9", name: "Static and None ports are left alone", ports: [fixed, none], become: [fixed, none] },
  {
    section: "4.9",
    name: "a Dynamic port of both protocols is TCP in its place and UDP at the end",
    ports: [{ ...dynamic, protocol: "TCPUDP" }, none],
    become: [
      { ...dynamic, name: "play-tcp", protocol: "TCP", hostPort: DEFAULT },
      none,
      { ...dynamic, name: "play-udp", protocol: "UDP", hostPort: DEFAULT },
    ],
  },
  {
    section: "4.9",
    name: "a Passthrough port of both protocols",
    ports: [{ ...passthrough, protocol: "TCPUDP" }],
    become: [
      { ...passthrough, name: "pass-tcp", protocol: "TCP", hostPort: DEFAULT, containerPort: DEFAULT },
      { ...passthrough, name: "pass-udp", protocol: "UDP", hostPort: DEFAULT, containerPort: DEFAULT },
    ],
  },
  {
    section: "4.9",
    name: "a port of a named range",
    ports: [{ ...dynamic, range: "tools" }],
    become: [{ ...dynamic, range: "tools", hostPort: TOOLS }],
  },
  {
    section: "4.9",
    name: "without their gate named ranges do not count",
    ports: [{ ...dynamic, range: "tools" }],
    gates: { PortRanges: false },
    become: [{ ...dynamic, range: "tools", hostPort: DEFAULT }],
  },
  {
    section: "4.9",
    name: "a port of an unknown range gets none",
    ports: [{ ...dynamic, range: "nowhere" }],
    become: [{ ...dynamic, range: "nowhere" }],
  },
];

interface RangesPromise extends PromiseRow {
  readonly min: number;
  readonly max: number;
  readonly additional?: string;
  /** None: they are taken. */
  readonly error?: string;
}

const wide = { min: 7000, max: 8000 };

export const ranges: readonly RangesPromise[] = [
  { section: "4.9", name: "a range of one number", min: 7000, max: 7000 },
  { section: "4.9", name: "ranges may share an end", ...wide, additional: '{"tools":[8000,9000]}' },
  { section: "4.9", name: "no first port", min: 0, max: 10, error: "min Port and Max Port values are required" },
  {
    section: "4.9",
    name: "a range upside down",
    min: 10,
    max: 9,
    error: "max Port cannot be set less that the Min Port",
  },
  {
    section: "4.9",
    name: "a named range without a first port",
    ...wide,
    additional: '{"tools":[0,1]}',
    error: "min Port and Max Port values are required for port range tools",
  },
  {
    section: "4.9",
    name: "a named range upside down",
    ...wide,
    additional: '{"tools":[9,8]}',
    error: "max Port cannot be set less that the Min Port for port range tools",
  },
  {
    section: "4.9",
    name: "a named range within the default one",
    ...wide,
    additional: '{"tools":[7500,9000]}',
    error: "port range tools overlaps with min/max port",
  },
  {
    section: "4.9",
    name: "two named ranges in one another",
    min: 1,
    max: 2,
    additional: '{"a":[10,20],"b":[15,30]}',
    error: "port range b overlaps with port range of a",
  },
  {
    section: "4.9",
    name: "a range that is no pair",
    ...wide,
    additional: '{"a":[10]}',
    error: "port range a must be two whole numbers [min, max], found [10]",
  },
  {
    section: "4.9",
    name: "ranges that are no JSON",
    ...wide,
    additional: "[",
    error: "additional-port-ranges is not JSON: [",
  },
];
