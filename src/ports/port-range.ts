/** Named ranges of host ports, and the rules their configuration must keep. */
export interface PortRange {
  /** First and last port, both inclusive. */
  readonly min: number;
  readonly max: number;
}

export const DEFAULT_RANGE = "default";

export class PortRangeError extends Error {
  override readonly name = "PortRangeError";
  readonly code = "InvalidPortRange";
}

function checkBounds(name: string, { min, max }: PortRange): void {
  const suffix = name === DEFAULT_RANGE ? "" : ` for port range ${name}`;
  if (!(min > 0) || !(max > 0)) throw new PortRangeError(`min Port and Max Port values are required${suffix}`);
  if (max < min) throw new PortRangeError(`max Port cannot be set less that the Min Port${suffix}`);
}

/** Reads `{"name":[min,max],…}`. Throws `PortRangeError` naming the range and the rule. */
export function parseAdditionalRanges(text: string): ReadonlyMap<string, PortRange> {
  const ranges = new Map<string, PortRange>();
  if (text.trim() === "") return ranges;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new PortRangeError(`additional-port-ranges is not JSON: ${text}`, { cause });
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new PortRangeError(`additional-port-ranges must be an object of [min, max] pairs, found ${text}`);
  for (const [name, bounds] of Object.entries(parsed)) {
    const valid = Array.isArray(bounds) && bounds.length === 2 && bounds.every((each) => Number.isInteger(each));
    if (!valid)
      throw new PortRangeError(
        `port range ${name} must be two whole numbers [min, max], found ${JSON.stringify(bounds)}`,
      );
    ranges.set(name, { min: bounds[0], max: bounds[1] });
  }
  return ranges;
}

/**
 * All ranges by name, `default` first. Throws `PortRangeError` when one has no bounds, is upside down or overlaps another;
 * two that share one end point pass, as in Agones.
 */
export function portRanges(
  standard: PortRange,
  additional: ReadonlyMap<string, PortRange> = new Map(),
): ReadonlyMap<string, PortRange> {
  const ranges = new Map([[DEFAULT_RANGE, standard], ...additional]);
  const named = [...ranges];
  for (const [name, range] of named) checkBounds(name, range);
  named.forEach(([name, range], position) => {
    for (const [other, against] of named.slice(0, position)) {
      if (range.min < against.max && against.min < range.max)
        throw new PortRangeError(
          `port range ${name} overlaps with ${other === DEFAULT_RANGE ? "min/max port" : `port range of ${other}`}`,
        );
    }
  });
  return ranges;
}
