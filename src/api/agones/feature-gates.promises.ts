/** The gates with their stages and defaults, and the text they are given in. */
import type { PromiseRow } from "../meta/promise-row.ts";
import type { FEATURE_GATES, FeatureGates, FeatureStage } from "./feature-gates.ts";

interface GatePromise extends PromiseRow {
  readonly name: keyof typeof FEATURE_GATES;
  readonly stage: FeatureStage;
  readonly on: boolean;
}

const stage = (stage: FeatureStage, on: boolean, ...names: readonly GatePromise["name"][]): readonly GatePromise[] =>
  names.map((name) => ({ section: "12", name, stage, on }));

/** There are no others. */
export const gates: readonly GatePromise[] = [
  ...stage("stable", true, "DisableResyncOnSDKServer", "AutopilotPassthroughPort"),
  ...stage(
    "beta",
    true,
    "CountsAndLists",
    "GKEAutopilotExtendedDurationPods",
    "PortPolicyNone",
    "PortRanges",
    "RollingUpdateFix",
    "ScheduledAutoscaler",
    "FleetAutoscaleRequestMetaData",
    "SidecarContainers",
  ),
  ...stage("alpha", false, "PlayerTracking", "PlayerAllocationFilter", "WasmAutoscaler"),
  ...stage("dev", false, "ProcessorAllocator"),
  ...stage("example", false, "Example"),
];

interface TextPromise extends PromiseRow {
  readonly text: string;
  /** Gates that differ from their defaults, or what is told of the text. */
  readonly gates?: Partial<FeatureGates>;
  readonly error?: string;
}

export const texts: readonly TextPromise[] = [
  { section: "12", name: "nothing said", text: "", gates: {} },
  {
    section: "12",
    name: "what is not named keeps its default",
    text: "CountsAndLists=false&PlayerTracking=true",
    gates: { CountsAndLists: false, PlayerTracking: true },
  },
  {
    section: "12",
    name: "of a gate named twice the first counts",
    text: "Example=1&Example=0",
    gates: { Example: true },
  },
  ...["1", "t", "T", "TRUE", "true", "True"].map((value) => ({
    section: "12",
    name: `${value} is on`,
    text: `Example=${value}`,
    gates: { Example: true },
  })),
  ...["0", "f", "F", "FALSE", "false", "False"].map((value) => ({
    section: "12",
    name: `${value} is off`,
    text: `PortRanges=${value}`,
    gates: { PortRanges: false },
  })),
  ...["Nope", "toString", "countsandlists"].map((name) => ({
    section: "12",
    name: `there is no gate ${name}`,
    text: `${name}=true`,
    error: `Feature Gate "${name}" is not a valid Feature Gate`,
  })),
  ...["yes", "", "tRUE", "2"].map((value) => ({
    section: "12",
    name: `no boolean: ${JSON.stringify(value)}`,
    text: `Example=${value}`,
    error: `Feature Gate "Example" must be true or false, not ${JSON.stringify(value)}`,
  })),
];
