import { expect, test, vi } from "vitest";
import { silentLogger } from "./logger.ts";
import { type Runnable, runGroups } from "./runnable.ts";

const turns = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A runnable that writes down what happens to it; `opens` and `closes` hold it back until they resolve. */
function traced(
  name: string,
  trace: string[],
  { opens, closes }: { opens?: Promise<void>; closes?: Promise<void> } = {},
) {
  const runnable: Runnable = {
    name,
    ready: () => opens ?? Promise.resolve(),
    run: async (signal) => {
      trace.push(`${name} starts`);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      trace.push(`${name} stops`);
      await closes;
      trace.push(`${name} ended`);
    },
  };
  return runnable;
}

test("starts a group when the one before is ready, and stops in reverse, each after the later ones ended", async () => {
  const trace: string[] = [];
  const opens = Promise.withResolvers<void>();
  const closes = Promise.withResolvers<void>();
  const abort = new AbortController();
  const groups = [
    [traced("cache", trace, { opens: opens.promise })],
    [traced("controller", trace, { closes: closes.promise })],
  ];
  const running = runGroups(groups, abort.signal, silentLogger);
  await turns();
  expect(trace).toEqual(["cache starts"]);
  opens.resolve();
  await turns();
  expect(trace).toEqual(["cache starts", "controller starts"]);
  abort.abort();
  await turns();
  expect(trace.slice(2)).toEqual(["controller stops"]);
  closes.resolve();
  await running;
  expect(trace.slice(2)).toEqual(["controller stops", "controller ended", "cache stops", "cache ended"]);
});

test("a failure stops the rest and is what it rejects with, logged once", async () => {
  const trace: string[] = [];
  const log = { ...silentLogger, error: vi.fn() };
  const fails: Runnable = { name: "fails", run: () => Promise.reject(new Error("broken")) };
  await expect(runGroups([[traced("first", trace)], [fails]], new AbortController().signal, log)).rejects.toThrow(
    "broken",
  );
  expect(trace).toEqual(["first starts", "first stops", "first ended"]);
  expect(log.error).toHaveBeenCalledOnce();
});

test("ending unasked is a failure", async () => {
  const ends: Runnable = { name: "server", run: async () => {} };
  await expect(runGroups([[ends]], new AbortController().signal, silentLogger)).rejects.toThrow("server ended unasked");
});

test.each([
  ["rejects", () => Promise.reject(new Error("port in use"))],
  [
    "throws",
    () => {
      throw new Error("port in use");
    },
  ],
] as const)("a readiness that %s stops what runs and starts nothing more", async (_name, ready) => {
  const trace: string[] = [];
  const log = { ...silentLogger, error: vi.fn() };
  const opening = { ...traced("opening", trace), ready };
  const running = runGroups([[opening], [traced("next", trace)]], new AbortController().signal, log);
  await expect(running).rejects.toThrow("port in use");
  expect(trace).toEqual(["opening starts", "opening stops", "opening ended"]);
  expect(log.error).toHaveBeenCalledOnce();
});

test("a failure while a group is getting ready does not wait for the readiness", async () => {
  const never: Runnable = {
    name: "never",
    ready: () => new Promise(() => {}),
    run: () => Promise.reject(new Error("broken")),
  };
  await expect(runGroups([[never]], new AbortController().signal, silentLogger)).rejects.toThrow("broken");
});

test("being told to stop while starting starts nothing more", async () => {
  const trace: string[] = [];
  const abort = new AbortController();
  const groups = [[traced("cache", trace, { opens: new Promise(() => {}) })], [traced("controller", trace)]];
  const running = runGroups(groups, abort.signal, silentLogger);
  await turns();
  abort.abort();
  await running;
  expect(trace).toEqual(["cache starts", "cache stops", "cache ended"]);
});

test("ending with the signal's reason, or with an AbortError made of it, is a clean stop", async () => {
  const abort = new AbortController();
  const rejecting = (name: string, errorOf: (signal: AbortSignal) => unknown): Runnable => ({
    name,
    run: (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(errorOf(signal)))),
  });
  const wrapped = (signal: AbortSignal) =>
    Object.assign(new Error("aborted", { cause: signal.reason }), { name: "AbortError" });
  const running = runGroups(
    [[rejecting("plain", (signal) => signal.reason), rejecting("wrapped", wrapped)]],
    abort.signal,
    silentLogger,
  );
  await turns();
  abort.abort();
  await expect(running).resolves.toBeUndefined();
});

test("a failure while stopping is reported after everything stopped", async () => {
  const trace: string[] = [];
  const abort = new AbortController();
  const fails: Runnable = {
    name: "fails",
    run: (signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("could not flush")))),
  };
  const running = runGroups([[traced("first", trace)], [fails]], abort.signal, silentLogger);
  await turns();
  abort.abort();
  await expect(running).rejects.toThrow("could not flush");
  expect(trace).toContain("first ended");
});
