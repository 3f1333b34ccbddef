import { expect, test, vi } from "vitest";
import { notFound, statusError } from "#api/meta/status.ts";
import { FakeClock } from "#runtime/clock.ts";
import { openEnduringLog } from "./enduring-log.ts";
import { type LogPiece, readFrames, writeFrames } from "./log-frames.ts";
import type { PodLogQuery } from "./pod-log.ts";

const QUERY: PodLogQuery = { namespace: "ns", pod: "a", follow: true, limitBytes: 10 };
const UNAVAILABLE = statusError("ServiceUnavailable", "the node agent does not answer yet");
const BROKEN = new Error("aborted");

const piece = (text: string, next: string): LogPiece => ({ bytes: Buffer.from(text), next });

async function* pieces(given: readonly LogPiece[], fault?: Error): AsyncGenerator<LogPiece> {
  yield* given;
  if (fault) throw fault;
}

/** An agent that answers so, one answer after another, and the last one for ever. */
function agentOf(...answers: (() => AsyncIterable<LogPiece>)[]) {
  const asked: PodLogQuery[] = [];
  const logs = async (query: PodLogQuery) => {
    asked.push(query);
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    if (!answer) throw new Error("no answer");
    return answer();
  };
  return { asked, logs };
}

const refuse = (error: Error) => () => {
  throw error;
};

/** What was read, and the fault it ended with, while time goes on. */
async function readAll(agent: ReturnType<typeof agentOf>, query = QUERY, signal?: AbortSignal) {
  const clock = new FakeClock();
  let text = "";
  let fault: unknown;
  let over = false;
  void (async () => {
    for await (const bytes of await openEnduringLog(agent, query, { clock, signal }))
      text += Buffer.from(bytes).toString();
  })()
    .catch((error: unknown) => {
      fault = error;
    })
    .finally(() => {
      over = true;
    });
  await vi.waitFor(async () => {
    await clock.advance(1_000);
    expect(over).toBe(true);
  });
  return { text, fault };
}

test("a log that is followed goes on where it broke off, once an agent answers again", async () => {
  const agent = agentOf(
    () => pieces([piece("", "0"), piece("one", "1"), piece("two", "2")], BROKEN),
    refuse(UNAVAILABLE),
    () => pieces([], BROKEN),
    () => pieces([piece("tri", "3")]),
  );
  expect(await readAll(agent)).toEqual({ text: "onetwotri", fault: undefined });
  expect(agent.asked.map(({ from, limitBytes }) => [from, limitBytes])).toEqual([
    [undefined, 10],
    ["2", 4],
    ["2", 4],
    ["2", 4],
  ]);
});

test.each([
  ["no agent comes", [refuse(UNAVAILABLE)], BROKEN],
  ["the next agent refuses", [refuse(notFound("", "pods", "a"))], notFound("", "pods", "a")],
])("it ends with a fault when %s", async (_name, later, fault) => {
  const ended = await readAll(agentOf(() => pieces([piece("one", "1")], BROKEN), ...later));
  expect(ended).toEqual({ text: "one", fault });
});

test("a log that is not followed ends where it broke off, and one that was not opened is refused at once", async () => {
  const { follow: _, ...query } = QUERY;
  const broken = agentOf(() => pieces([piece("one", "1")], BROKEN));
  expect(await readAll(broken, query)).toEqual({ text: "one", fault: BROKEN });
  const absent = agentOf(refuse(UNAVAILABLE));
  expect(await readAll(absent)).toEqual({ text: "", fault: UNAVAILABLE });
  expect([broken, absent].map(({ asked }) => asked.length)).toEqual([1, 1]);
});

test("nobody is asked again for a reader who has gone", async () => {
  const agent = agentOf(() => pieces([piece("one", "1")], BROKEN));
  expect(await readAll(agent, QUERY, AbortSignal.abort())).toEqual({ text: "one", fault: BROKEN });
  expect(agent.asked).toHaveLength(1);
});

test("pieces come through in whatever parts they travel; one that does not end is not given", async () => {
  const sent = [piece("one", "0.7.1.true"), piece("", ""), piece("zwölf", "12"), piece("lost", "13")];
  const bytes = Buffer.concat(await Array.fromAsync(writeFrames(pieces(sent))));
  for (const size of [1, 3, 8, 13, 1_000]) {
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length - 1; at += size)
      parts.push(bytes.subarray(at, Math.min(at + size, bytes.length - 1)));
    const got = await Array.fromAsync(readFrames(ReadableStream.from(parts)));
    expect(got.map(({ bytes: given, next }) => [String(given), next])).toEqual(
      sent.slice(0, 3).map(({ bytes: given, next }) => [String(given), next]),
    );
  }
});
