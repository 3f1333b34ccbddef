/** The rules of a FleetAutoscaler that its schema cannot say; the same at creation and on every update. All faults are told at once. */
import type { FeatureGates } from "../agones/feature-gates.ts";
import { NOT_NEGATIVE } from "../agones/validate-resources.ts";
import { child, type FieldError, forbidden, index, invalid, required } from "../meta/field.ts";
import { defaultFleetAutoscaler } from "./defaults.ts";
import type { FleetAutoscaler } from "./fleetautoscaler.ts";
import type { ChainEntry, FleetAutoscalerPolicy, WasmPolicy } from "./policy.ts";
import { validateBuffer, validateCapacity } from "./validate-buffer.ts";
import { type ScheduleTimes, validateSchedule } from "./validate-schedule.ts";
import { validateUrl } from "./validate-url.ts";

export interface AutoscalerRules {
  readonly gates: FeatureGates;
  /** Milliseconds since 1970: a schedule that has ended is refused. */
  readonly now: number;
  /** The object before an update: what has ended there already is not refused again. */
  readonly before?: FleetAutoscaler;
}

/** `sync` is completed first, and not stored. Whether the fleet, or the counter or list in it, exists is not asked. */
export function validateFleetAutoscaler(
  autoscaler: FleetAutoscaler,
  { gates, now, before }: AutoscalerRules,
): readonly FieldError[] {
  const rules: PolicyRules = { gates, times: { now, endsBefore: before ? endsOf(before) : new Set() } };
  const { policy, sync } = defaultFleetAutoscaler(autoscaler).spec;
  const seconds = sync?.fixedInterval?.seconds ?? 0;
  return [
    ...validatePolicy(policy ?? {}, rules, "spec.policy"),
    ...(seconds < 0 ? [invalid("spec.sync.fixedInterval.seconds", seconds, NOT_NEGATIVE)] : []),
  ];
}

interface PolicyRules {
  readonly gates: FeatureGates;
  readonly times: ScheduleTimes;
}

/** The ends of all its schedules, in milliseconds since 1970. */
function endsOf({ spec }: FleetAutoscaler): ReadonlySet<number> {
  const { schedule, chain } = spec?.policy ?? {};
  const schedules = [schedule, ...(chain ?? []).map((entry) => entry?.schedule)];
  return new Set(schedules.flatMap((each) => (each?.between?.end ? [Date.parse(each.between.end)] : [])));
}

/** Looks at the member that `type` names, and at no other. */
function validatePolicy(
  policy: Partial<FleetAutoscalerPolicy>,
  { gates, times }: PolicyRules,
  path: string,
): readonly FieldError[] {
  switch (policy.type) {
    case "Buffer":
      return validateBuffer(policy.buffer, child(path, "buffer"));
    case "Webhook":
      return validateUrl(policy.webhook, child(path, "webhook"));
    case "Counter":
      return validateCapacity(policy.counter, "counter", gates, child(path, "counter"));
    case "List":
      return validateCapacity(policy.list, "list", gates, child(path, "list"));
    case "Schedule":
      return validateSchedule(policy.schedule, gates, times, child(path, "schedule"));
    case "Chain":
      return validateChain(policy.chain, { gates, times }, child(path, "chain"));
    case "Wasm":
      return validateWasm(policy.wasm, gates, child(path, "wasm"));
    default:
      return [];
  }
}

/** An absent or empty chain passes. */
function validateChain(chain: FleetAutoscalerPolicy["chain"], rules: PolicyRules, path: string): readonly FieldError[] {
  if (!rules.gates.ScheduledAutoscaler) return [forbidden(path, "feature ScheduledAutoscaler must be enabled")];
  const seen = new Set<string>();
  return (chain ?? []).flatMap((each, position) => {
    const entry: Partial<ChainEntry> = each ?? {};
    const id = entry.id ?? "";
    const taken = seen.has(id);
    seen.add(id);
    const at = index(path, position);
    return [
      ...(taken ? [invalid(path, id, "id of chain entry must be unique")] : []),
      ...(entry.type && hasPolicy(entry) ? [] : [required(at, "valid policy is missing")]),
      // The segment stands in the path, although the policy's members are the entry's own.
      ...validatePolicy(entry, rules, child(at, "policy")),
    ];
  });
}

const hasPolicy = ({ buffer, webhook, counter, list, schedule, wasm }: Partial<ChainEntry>): boolean =>
  [buffer, webhook, counter, list, schedule, wasm].some((member) => member !== undefined && member !== null);

function validateWasm(wasm: WasmPolicy | null | undefined, gates: FeatureGates, path: string): readonly FieldError[] {
  if (!wasm) return [required(path, "wasm policy config params are missing")];
  if (!gates.WasmAutoscaler) return [forbidden(path, "feature WasmAutoscaler must be enabled")];
  const from = child(path, "from");
  const { url }: Partial<WasmPolicy["from"]> = wasm.from ?? {};
  return url ? validateUrl(url, child(from, "url")) : [required(from, "wasm from configuration is missing")];
}
