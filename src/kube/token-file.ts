import { readFile } from "node:fs/promises";
import type { Clock } from "#runtime/clock.ts";

/** As client-go: the file is looked at again when what is known of it is this old. */
const FRESH_MS = 60_000;

/** The token in a file that is renewed in place. Where it cannot be read again, the one known holds. */
export function tokenFile(path: string, clock: Clock): () => Promise<string> {
  let known: { readonly token: string; readonly at: number } | undefined;
  let reading: Promise<string> | undefined;
  const read = async (): Promise<string> => {
    try {
      const token = (await readFile(path, "utf8")).trim();
      if (token === "") throw new Error(`${path} is empty`);
      known = { token, at: clock.monotonic() };
      return token;
    } catch (error) {
      if (!known) throw error;
      known = { ...known, at: clock.monotonic() };
      return known.token;
    } finally {
      reading = undefined;
    }
  };
  return async () => {
    if (known && clock.monotonic() - known.at < FRESH_MS) return known.token;
    reading ??= read();
    return reading;
  };
}
