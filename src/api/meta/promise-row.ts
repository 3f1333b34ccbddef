/** A row of a table that holds the contract to its word: which section or rule of it, and what is promised there. */
export interface PromiseRow {
  /** A section or a rule of `docs/reference/contract.md`, such as `8.3` or `4.6.11`. */
  readonly section: string;
  readonly name: string;
}

/** Rows as `test.each` takes them: their tests are called `section: name`. */
export const titled = <T extends PromiseRow>(rows: readonly T[]): readonly (readonly [string, string, T])[] =>
  rows.map((row) => [row.section, row.name, row]);

/** Members by dotted path (`spec.ports.0.name`), each with its exact value; `undefined` is an absent one. */
export type Members = Readonly<Record<string, unknown>>;

/** What an object has where `expected` says something. Throws nothing: what is not there is `undefined`. */
export const membersOf = (object: unknown, expected: Members): Members =>
  Object.fromEntries(
    Object.keys(expected).map((path) => [
      path,
      path.split(".").reduce<unknown>((inner, step) => (inner as Members | null | undefined)?.[step], object),
    ]),
  );
