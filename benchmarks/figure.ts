/** One measured figure, against a yardstick that was measured in the same run. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: "ms" | "MB" | "writes";
  /** The yardstick, in the same unit; each benchmark's opening comment says what it is. */
  readonly against: number;
  /** The largest ratio that is good enough; null when there is none. */
  readonly target: number | null;
}

/** A benchmark cannot be run on this machine. */
export class BenchmarkSkipped extends Error {
  override readonly name = "BenchmarkSkipped";
  readonly code = "Skipped";
}

/** What a file `NAME.bench.ts` exports. `tell` says to a person how far it is. */
export type Benchmark = (tell: (progress: string) => void) => Promise<readonly Figure[]>;

/** One JSON line: the figure, its ratio, and whether that meets the target. */
export function figureLine({ name, value, unit, against, target }: Figure): string {
  const ratio = against > 0 ? rounded(value / against) : null;
  const met = ratio === null || target === null ? null : ratio <= target;
  return JSON.stringify({ name, value: rounded(value), unit, against: rounded(against), ratio, target, met });
}

/** The middle of some measurements, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError("there is no median of nothing");
  return (lower + upper) / 2;
}

/** Three digits that count. */
const rounded = (value: number): number => Number(value.toPrecision(3));
