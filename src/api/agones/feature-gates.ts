/**
 * Feature gates: names, stages and defaults, and their text form, a URL query string (`CountsAndLists=true&Example=false`).
 * A set of gates is a value that is passed to whatever depends on it.
 */
import { quoted } from "../meta/quote.ts";

export type FeatureStage = "stable" | "beta" | "alpha" | "dev" | "example";

export const FEATURE_GATES = {
  DisableResyncOnSDKServer: { stage: "stable", default: true },
  AutopilotPassthroughPort: { stage: "stable", default: true },
  CountsAndLists: { stage: "beta", default: true },
  GKEAutopilotExtendedDurationPods: { stage: "beta", default: true },
  PortPolicyNone: { stage: "beta", default: true },
  PortRanges: { stage: "beta", default: true },
  RollingUpdateFix: { stage: "beta", default: true },
  ScheduledAutoscaler: { stage: "beta", default: true },
  FleetAutoscaleRequestMetaData: { stage: "beta", default: true },
  SidecarContainers: { stage: "beta", default: true },
  PlayerTracking: { stage: "alpha", default: false },
  PlayerAllocationFilter: { stage: "alpha", default: false },
  WasmAutoscaler: { stage: "alpha", default: false },
  ProcessorAllocator: { stage: "dev", default: false },
  Example: { stage: "example", default: false },
} as const satisfies Readonly<Record<string, { readonly stage: FeatureStage; readonly default: boolean }>>;

type FeatureGate = keyof typeof FEATURE_GATES;
/** Every gate, on or off. */
export type FeatureGates = Readonly<Record<FeatureGate, boolean>>;

/** A gates text that cannot be taken; a program ends with its message. */
export class FeatureGateError extends Error {
  override readonly name = "FeatureGateError";
  readonly code = "FeatureGateError";
}

/** What holds where nothing was said, with the named exceptions. */
export function featureGates(overrides: Partial<FeatureGates> = {}): FeatureGates {
  const defaults = Object.entries(FEATURE_GATES).map(([name, gate]) => [name, gate.default]);
  return { ...(Object.fromEntries(defaults) as FeatureGates), ...overrides };
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);

/**
 * Reads a query string; gates it does not name keep their defaults, and of a gate named twice the first counts.
 * Throws `FeatureGateError` for an unknown gate or a value that is no boolean.
 */
export function parseFeatureGates(text: string): FeatureGates {
  const given: Partial<Record<FeatureGate, boolean>> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (!isFeatureGate(name)) {
      throw new FeatureGateError(`Feature Gate ${quoted(name)} is not a valid Feature Gate`);
    }
    const on = booleans.get(value);
    if (on === undefined) {
      throw new FeatureGateError(`Feature Gate ${quoted(name)} must be true or false, not ${quoted(value)}`);
    }
    given[name] ??= on;
  }
  return featureGates(given);
}

/** All gates as a query string with sorted names: what a game server's SDK container is given. */
export function encodeFeatureGates(gates: FeatureGates): string {
  return (Object.keys(FEATURE_GATES) as FeatureGate[])
    .sort()
    .map((name) => `${name}=${gates[name]}`)
    .join("&");
}

function isFeatureGate(name: string): name is FeatureGate {
  return Object.hasOwn(FEATURE_GATES, name);
}
