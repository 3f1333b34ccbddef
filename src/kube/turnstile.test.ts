import { expect, test } from "vitest";
import { Turnstile } from "./turnstile.ts";

const turns = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Steps that end when told to, and what was started. */
function steps(turnstile: Turnstile) {
  const started: string[] = [];
  const start = (name: string, signal?: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const passed = turnstile.pass(() => {
      started.push(name);
      return promise;
    }, signal);
    return { passed, end: resolve, fail: () => reject(new Error(`${name} failed`)) };
  };
  return { started, start };
}

test("lets so many through at once and the others in order, also after a failure", async () => {
  const { started, start } = steps(new Turnstile(2));
  const [a, b] = [start("a"), start("b"), start("c"), start("d")];
  await turns();
  expect(started).toEqual(["a", "b"]);
  a.end();
  b.fail();
  await expect(b.passed).rejects.toThrow("b failed");
  await turns();
  expect(started).toEqual(["a", "b", "c", "d"]);
});

test("gives a place back that nobody waited for", async () => {
  const { started, start } = steps(new Turnstile(1));
  const a = start("a");
  a.end();
  await a.passed;
  start("b");
  await turns();
  expect(started).toEqual(["a", "b"]);
});

test("whoever leaves while waiting takes no place", async () => {
  const { started, start } = steps(new Turnstile(1));
  const a = start("a");
  const abort = new AbortController();
  const b = start("b", abort.signal);
  start("c");
  abort.abort(new Error("enough"));
  await expect(b.passed).rejects.toThrow("enough");
  a.end();
  await turns();
  expect(started).toEqual(["a", "c"]);
});
