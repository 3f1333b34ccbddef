import { GAMESERVERS } from "#api/agones/resources.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Session } from "../session.ts";

/** A cluster that stops is not held up for longer by one that does not answer. */
const PATIENCE_MS = 500;

/** How many servers are Allocated in all namespaces; undefined when the cluster does not say so at once. */
export async function countMatches(session: Session, clock: Clock): Promise<number | undefined> {
  const late = new AbortController();
  const cancel = clock.after(PATIENCE_MS, () => late.abort());
  try {
    await using connection = session.connect();
    const signal = AbortSignal.any([late.signal, session.hurried]);
    const { items } = await connection.client.list(GAMESERVERS, { signal });
    return items.filter(({ status }) => status?.state === "Allocated").length;
  } catch {
    return undefined;
  } finally {
    cancel();
  }
}

/** What is told when a cluster begins to stop with its game servers. */
export function stoppingLine(matches = 0): string {
  const what = matches === 1 ? "1 match (an Allocated game server)" : `${matches} matches (Allocated game servers)`;
  return `Stopping the game servers and the cluster${matches > 0 ? `, which ends ${what}` : ""} …`;
}
