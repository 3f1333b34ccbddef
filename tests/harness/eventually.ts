import { vi } from "vitest";

/** Milliseconds. */
export interface Patience {
  readonly within?: number;
  readonly every?: number;
}

/** What is looked at until it holds, 30 s by default; then fails with what was wrong at the last look. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  { within = 30_000, every = 100 }: Patience = {},
): Promise<T> {
  try {
    return await vi.waitFor(look, { timeout: within, interval: every });
  } catch (error) {
    if (error instanceof Error) error.message = `not within ${within / 1000} s: ${error.message}`;
    throw error;
  }
}
