import { getEventListeners } from "node:events";
import { connect as connectSocket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { GameServer } from "#api/agones/gameserver.ts";
import { startSession } from "./session-fixture.ts";
import { serve } from "./shared-server-fixture.ts";

const never = new AbortController().signal;

it("a thousand watchers that do not read share a few versions, and each sees the newest last", async () => {
  const { api, session } = startSession();
  const watches = Array.from({ length: 1000 }, () => session.watch(never));
  await Promise.all(watches.map((watch) => watch.next()));
  for (let n = 1; n <= 500; n++) api.write({ metadata: { generation: n } });
  await session.stop(0);
  const held = new Set<GameServer>();
  for (const watch of watches) {
    let last: GameServer | undefined;
    for await (const version of watch) {
      held.add(version);
      last = version;
    }
    expect(last).toBe(api.stored);
  }
  expect(held.size).toBeLessThanOrEqual(16);
});

it("a reader that stands still costs the others nothing, misses steps, and sees the newest last", async () => {
  const { api, url } = await serve();
  const slow = connectSocket(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void slow.destroy());
  slow.setEncoding("utf8");
  slow.write("GET /watch/gameserver HTTP/1.1\r\nHost: x\r\n\r\n");
  await new Promise((resolve) => slow.once("readable", resolve));

  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const fast = await fetch(`${url}/watch/gameserver`, { signal: stop.signal });
  const lines = fast.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = (await lines?.read())?.value ?? "";
  const versions = 2000;
  for (let n = 1; n <= versions; n++) {
    api.write({ metadata: { annotations: { n: `${"x".repeat(16 * 1024)}<${n}>` } } });
    while (!seen.includes(`<${n}>`)) seen = seen.slice(-1024) + ((await lines?.read())?.value ?? "");
  }

  let read = "";
  let steps = 0;
  slow.on("data", (text: string) => {
    read = read.slice(-1024) + text;
    steps += text.split('{"result":').length - 1;
  });
  await expect.poll(() => read).toContain(`<${versions}>`);
  expect(steps).toBeLessThan(versions / 2);
});

it("watchers that come and go leave nothing behind at their calls", async () => {
  const { api, session } = startSession();
  for (let n = 0; n < 100; n++) {
    const call = new AbortController();
    const watch = session.watch(call.signal);
    await watch.next();
    expect(getEventListeners(call.signal, "abort")).toHaveLength(1);
    if (n % 2) await watch.return(undefined);
    else {
      call.abort();
      expect(await watch.next()).toEqual({ done: true, value: undefined });
    }
    expect(getEventListeners(call.signal, "abort")).toEqual([]);
  }
  expect(api.listeners).toBe(1);
});
