/** How a promise of the SDK server is tried: by lives that fast-check makes up, some in the tests and many more in `npm run test:soak:sdk`. */
import type { IAsyncProperty } from "fast-check";

export interface Trial {
  readonly promise: string;
  /** How many lives a test has time for. */
  readonly runs: number;
  /** Fails at a life that breaks the promise. */
  readonly lives: IAsyncProperty<unknown>;
}
