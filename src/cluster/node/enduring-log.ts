/** A log that is followed goes on when the node agent is started again, where it broke off. */
import { isUnavailable } from "#api/meta/status.ts";
import type { Clock } from "#runtime/clock.ts";
import type { AgentClient } from "./agent-client.ts";
import type { LogPiece } from "./log-frames.ts";
import type { PodLogQuery } from "./pod-log.ts";

/** An agent that ended is started again within a second or two. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 100;

/**
 * Rejects as the agent does for a log that it does not open: with ServiceUnavailable when no agent answers yet. Once open, the bytes
 * of a log that is followed end with an error only when no agent has gone on with it for 10 s, or one refuses to.
 */
export async function openEnduringLog(
  agent: Pick<AgentClient, "logs">,
  query: PodLogQuery,
  { clock, signal = new AbortController().signal }: { readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<AsyncIterable<Uint8Array>> {
  const first = await agent.logs(query, signal);
  return query.follow ? followed(first) : bytesOf(first);

  async function* followed(opened: AsyncIterable<LogPiece>): AsyncGenerator<Uint8Array> {
    let left = query.limitBytes;
    let from: string | undefined;
    let pieces = opened;
    for (;;) {
      try {
        for await (const { bytes, next } of pieces) {
          if (bytes.length > 0) yield bytes;
          from = next;
          if (left !== undefined) left -= bytes.length;
        }
        return;
      } catch (error) {
        if (signal.aborted || (left !== undefined && left <= 0)) throw error;
        pieces = await again({ ...query, from, limitBytes: left }, error);
      }
    }
  }

  async function again(rest: PodLogQuery, fault: unknown): Promise<AsyncIterable<LogPiece>> {
    const since = clock.monotonic();
    for (;;) {
      await clock.sleep(PAUSE_MS, signal);
      try {
        return await agent.logs(rest, signal);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (clock.monotonic() - since >= PATIENCE_MS) throw fault;
      }
    }
  }
}

async function* bytesOf(pieces: AsyncIterable<LogPiece>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of pieces) yield bytes;
}
