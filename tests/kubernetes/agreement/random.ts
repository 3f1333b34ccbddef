/** Requests made up at random, one at a time, on both servers. */
import type { JsonValue } from "#api/meta/json.ts";
import type { Answer, ApiServer } from "./api-server.ts";
import { differences } from "./differences.ts";
import { normalised } from "./normalise.ts";

/** How many, and which: of fast-check. */
export const RANDOM = {
  numRuns: Number(process.env.STADION_MUTATIONS ?? 300),
  ...(process.env.STADION_SEED && { seed: Number(process.env.STADION_SEED) }),
  endOnFailure: true,
};

interface Answers {
  readonly embedded: JsonValue | undefined;
  /** Where the answers differ. */
  readonly found: readonly string[];
}

/** What both answer, in whatever order they warn. */
export async function answersOf(
  both: readonly ApiServer[],
  ask: (server: ApiServer) => Promise<Answer>,
): Promise<Answers> {
  const [kubernetes, embedded] = await Promise.all(
    both.map(async (server) => {
      const { status, warnings, body } = await ask(server);
      return normalised({ status, warnings: [...warnings].toSorted(), body }, ["duel-"]);
    }),
  );
  return { embedded, found: differences(kubernetes, embedded) };
}
