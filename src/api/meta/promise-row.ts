/** A row of a table that holds the contract to its word: which section of it, and what is promised there. */
export interface PromiseRow {
  /** Number of the contract's section, such as `8.3`. */
  readonly section: string;
  readonly name: string;
}
