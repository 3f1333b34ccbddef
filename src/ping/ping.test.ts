/** HTTP and UDP over real sockets on loopback. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import { createHealthChecks } from "#runtime/health.ts";
import { silentLogger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";
import { HttpAnswer } from "./http-answer.ts";
import { UdpEcho } from "./udp-echo.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function run<T extends Runnable>(runnable: T): Promise<{ readonly it: T; stop(): Promise<void> }> {
  const abort = new AbortController();
  const running = runnable.run(abort.signal);
  const stop = async () => {
    abort.abort();
    await running;
  };
  ends.push(stop);
  await Promise.race([runnable.ready?.(), running]);
  return { it: runnable, stop };
}

async function echo(perSecond = 20) {
  const clock = new FakeClock();
  const log = { ...silentLogger, warn: vi.fn() };
  const server = new UdpEcho({ host: "127.0.0.1", port: 0, perSecond, clock, log });
  return { clock, log, ...(await run(server)) };
}

/** A client that collects what comes back. */
async function client(port: number) {
  const socket: Socket = createSocket("udp4");
  const answers: string[] = [];
  socket.on("message", (message) => answers.push(message.toString("latin1")));
  socket.connect(port, "127.0.0.1");
  await once(socket, "connect");
  ends.push(() => socket.close());
  return { answers, send: (datagram: string | Uint8Array) => socket.send(datagram) };
}

describe("over UDP", () => {
  it("a datagram comes back as it was sent", async () => {
    const { it: server } = await echo();
    const { answers, send } = await client(server.port);
    send("hello");
    await expect.poll(() => answers).toEqual(["hello"]);
  });

  it.each([
    ["an empty one comes back empty", Buffer.alloc(0), ""],
    ["zero bytes at the end are left out", Buffer.from("a\0b\0\0"), "a\0b"],
    ["one of zero bytes alone comes back empty", Buffer.alloc(2000), ""],
    ["beyond 1024 bytes nothing is read", Buffer.alloc(1500, "x"), "x".repeat(1024)],
    ["bytes that are no text come back too", Buffer.from([0xff, 0, 0xfe]), "\xff\0\xfe"],
    ["the largest there can be is no trouble", Buffer.alloc(65_507, "y"), "y".repeat(1024)],
  ])("%s", async (_title, datagram, answer) => {
    const { it: server } = await echo();
    const { answers, send } = await client(server.port);
    send(datagram);
    await expect.poll(() => answers).toEqual([answer]);
  });

  it("a sender beyond its limit hears nothing, others do, and the log tells how many were passed over, once", async () => {
    const { it: server, clock, log } = await echo(2);
    const [greedy, modest] = [await client(server.port), await client(server.port)];
    for (let count = 0; count < 5; count++) greedy.send(`${count}`);
    await expect.poll(() => greedy.answers).toEqual(["0", "1"]);
    modest.send("mine");
    await expect.poll(() => modest.answers).toEqual(["mine"]);
    expect(log.warn).not.toHaveBeenCalled();
    await clock.advance(10_000);
    expect(log.warn.mock.calls).toEqual([[{ datagrams: 3 }, "Rate limited. No response sent"]]);
    await clock.advance(60_000);
    expect(log.warn).toHaveBeenCalledTimes(1);
    greedy.send("again");
    await expect.poll(() => greedy.answers).toEqual(["0", "1", "again"]);
  });

  it("at less than one a second nobody is answered", async () => {
    const { it: server, log, clock } = await echo(0.5);
    const { answers, send } = await client(server.port);
    send("hello");
    send("hello");
    await expect
      .poll(async () => {
        await clock.advance(10_000);
        return log.warn.mock.calls.reduce((sum, [{ datagrams }]) => sum + datagrams, 0);
      })
      .toBe(2);
    expect(answers).toEqual([]);
  });

  it("a forged sender at port 0 is passed over", async () => {
    const { it: server } = await echo();
    const { answers, send } = await client(server.port);
    server.receive(Buffer.from("forged"), { address: "127.0.0.1", family: "IPv4", port: 0, size: 6 });
    send("hello");
    await expect.poll(() => answers).toEqual(["hello"]);
  });

  it("a port that is taken is told by its number", async () => {
    const { it: server } = await echo();
    const options = { host: "127.0.0.1", port: server.port, perSecond: 1, clock: new FakeClock(), log: silentLogger };
    const second = new UdpEcho(options);
    await expect(second.run(new AbortController().signal)).rejects.toMatchObject({ code: "PortInUse" });
    await expect(second.ready()).rejects.toMatchObject({ code: "PortInUse" });
  });

  it("without an address, IPv4 is answered as well", async () => {
    const server = new UdpEcho({ port: 0, perSecond: 20, clock: new FakeClock(), log: silentLogger });
    await run(server);
    const { answers, send } = await client(server.port);
    send("hello");
    await expect.poll(() => answers).toEqual(["hello"]);
  });
});

async function answering(response = "ok") {
  const clock = new FakeClock();
  const health = createHealthChecks();
  const http = await run(new HttpAnswer({ host: "127.0.0.1", port: 0, response, health, clock }));
  return { clock, health, ...http, url: `http://127.0.0.1:${http.it.port}` };
}

describe("over HTTP", () => {
  it("every path and verb is answered with the text", async () => {
    const { url } = await answering("hello there");
    for (const [path, method] of [
      ["/", "GET"],
      ["/any/where?x=1", "GET"],
      ["/ready", "GET"],
      ["/liveness", "DELETE"],
      ["/", "POST"],
    ] as const) {
      const response = await fetch(`${url}${path}`, {
        method,
        ...(method === "POST" && { body: "x".repeat(100_000) }),
      });
      expect([response.status, await response.text()]).toEqual([200, "hello there"]);
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    }
    expect(await (await fetch(url, { method: "HEAD" })).text()).toBe("");
  });

  it("/live says whether datagrams are answered", async () => {
    const { url, health } = await answering();
    const udp = await echo();
    health.addLiveness(udp.it.name, () => udp.it.check());
    const live = async (query = "") => {
      const response = await fetch(`${url}/live${query}`);
      return [response.status, await response.text()];
    };
    expect(await live()).toEqual([200, "{}\n"]);
    expect(await live("?full=1")).toEqual([200, '{\n    "udp-server": "OK"\n}\n']);
    expect((await fetch(`${url}/live`, { method: "POST" })).status).toBe(405);
    await udp.stop();
    expect(await live()).toEqual([503, "{}\n"]);
    expect(await live("?full=1")).toEqual([503, '{\n    "udp-server": "UDP Server is unhealthy"\n}\n']);
  });

  it("what is no HTTP is refused, and the next request is answered", async () => {
    const { url, it: server } = await answering();
    const socket = connect(server.port, "127.0.0.1").setEncoding("latin1");
    socket.write("\0\xff\x16\x03\x01 nonsense\r\n\r\n");
    const [answer] = await once(socket, "data");
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(await (await fetch(url)).text()).toBe("ok");
  });

  it("a port that is taken is told by its number", async () => {
    const { it: server, health, clock } = await answering();
    const second = new HttpAnswer({ host: "127.0.0.1", port: server.port, response: "", health, clock });
    await expect(second.run(new AbortController().signal)).rejects.toMatchObject({ code: "PortInUse" });
  });

  it("the end waits for a request in hand, but no longer than ten seconds", async () => {
    const { it: server, stop, clock } = await answering();
    const socket = connect(server.port, "127.0.0.1");
    ends.push(() => socket.destroy());
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
    await once(socket, "connect");
    // Answered on a second connection: the first one has arrived by then.
    await fetch(`http://127.0.0.1:${server.port}`);
    let stopped = false;
    const stopping = stop().then(() => {
      stopped = true;
    });
    await clock.advance(9_999);
    expect(stopped).toBe(false);
    await clock.advance(1);
    await stopping;
  });
});
