/** One value of a gauge, with all its labels. */
export interface Sample<L extends string = string> {
  readonly labels: Readonly<Record<L, string>>;
  readonly value: number;
}
