import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { WasmPolicy } from "#api/autoscaling/policy.ts";
import { reviewOf } from "#api/autoscaling/review.ts";
import { wasmHash } from "#api/autoscaling/wasm.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { buildFleet } from "../fixtures.ts";
import { plugin, wasiPlugin } from "./plugin.fixture.ts";
import { openWasmPlugin } from "./wasm-plugin.ts";

const review = reviewOf(buildFleet(3), "review-1", featureGates());
const never = new AbortController().signal;

/** A module behind a server that counts its requests. */
async function open(policy: Omit<WasmPolicy, "from"> = {}, bytes: Uint8Array = plugin) {
  const requests: string[] = [];
  const server = createServer(({ method, url }, response) => {
    requests.push(`${method} ${url}`);
    if (url === "/scaler.wasm") response.end(bytes);
    else response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const clock = new FakeClock();
  const log = { ...silentLogger, warn: vi.fn() };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/scaler.wasm`;
  const reviewer = openWasmPlugin({ ...policy, from: { url: { url } } }, { clock, log });
  onTestFinished(() => {
    reviewer.close();
    server.close();
  });
  return { reviewer, requests, clock, log, server };
}

describe("a Wasm module", () => {
  test("is fetched once, and answers with a response", async () => {
    const { reviewer, requests } = await open();
    expect(await reviewer.review(review, never)).toEqual({ uid: "", scale: true, replicas: 5 });
    expect(await reviewer.review(review, never)).toEqual({ uid: "", scale: true, replicas: 5 });
    expect(requests).toEqual(["GET /scaler.wasm"]);
  });

  test("is given its settings, and the function that is called", async () => {
    const config = { answer: '{"response":{"scale":true,"replicas":4}}' };
    expect(await (await open({ config })).reviewer.review(review, never)).toMatchObject({ replicas: 4 });
    const { reviewer } = await open({ function: "scaleNone" });
    expect(await reviewer.review(review, never)).toMatchObject({ scale: false });
  });

  test("keeps what it remembers between reviews", async () => {
    const { reviewer } = await open({ function: "remember" });
    expect(await reviewer.review(review, never)).toMatchObject({ replicas: 5 });
    expect(await reviewer.review(review, never)).toMatchObject({ replicas: 7 });
  });

  test("of the hash that its policy names is taken, in capital letters too; any other is not", async () => {
    const hash = wasmHash(plugin);
    for (const right of [hash, hash.toUpperCase()])
      expect(await (await open({ hash: right })).reviewer.review(review, never)).toMatchObject({ replicas: 5 });
    const wrong = await open({ hash: "0".repeat(64) });
    await expect(wrong.reviewer.review(review, never)).rejects.toThrow("hash mismatch for module 'main'");
  });

  test.each([
    ["whose function is not there", "nothing", "unknown function: nothing"],
    ["that sets an error", "fail", "the oracle is silent"],
    ["that traps", "trap", "unreachable"],
    ["whose answer is the question", "echo", "the answer has no response"],
  ])("%s gives no size, and is asked again", async (_name, name, message) => {
    const { reviewer, requests } = await open({ function: name });
    for (let asked = 0; asked < 2; asked++) await expect(reviewer.review(review, never)).rejects.toThrow(message);
    expect(requests).toHaveLength(1);
  });

  test("that forgets the size gives none", async () => {
    const { reviewer } = await open({ config: { answer: '{"response":{"scale":true,"replicas":null}}' } });
    await expect(reviewer.review(review, never)).rejects.toThrow("response.replicas must be given");
  });

  test("with WASI is initialized, and finds random bytes and an empty environment", async () => {
    const { reviewer } = await open({}, wasiPlugin);
    // It would trap; that it says nothing is another matter.
    await expect(reviewer.review(review, never)).rejects.toThrow("the answer is no JSON");
  });

  test("that is none, or cannot be fetched, gives no size", async () => {
    const { reviewer } = await open({}, Buffer.from("no module"));
    await expect(reviewer.review(review, never)).rejects.toThrow("WebAssembly");
    const gone = await open();
    gone.server.close();
    await once(gone.server, "close");
    await expect(gone.reviewer.review(review, never)).rejects.toThrow("no answer from the server");
  });

  test("that loops is ended after 15 seconds, and stops nothing else meanwhile", async () => {
    const { reviewer, clock, requests } = await open({ function: "spin" });
    for (let asked = 0; asked < 2; asked++) {
      const refused = expect(reviewer.review(review, never)).rejects.toThrow("the module gave no answer within 15 s");
      // One timer for the fetch, which is over; one for the call.
      await expect.poll(() => requests.length === 1 && clock.pending).toBe(1);
      await expect.poll(() => clock.advance(15_000).then(() => clock.pending)).toBe(0);
      await refused;
    }
    expect(requests).toHaveLength(1);
  });

  test("that is no longer wanted is ended at once", async () => {
    const { reviewer, clock } = await open({ function: "spin" });
    const abort = new AbortController();
    const refused = expect(reviewer.review(review, abort.signal)).rejects.toThrow("changed");
    abort.abort(new Error("changed"));
    await refused;
    expect(clock.pending).toBe(0);
  });

  test("may write to the log", async () => {
    const { reviewer, log } = await open({ function: "warn" });
    await reviewer.review(review, never);
    expect(log.warn).toHaveBeenCalledExactlyOnceWith({ text: "the oracle is silent" }, "a Wasm module says");
  });
});
