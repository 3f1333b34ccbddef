import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer, get } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { busySocket } from "#tests/harness/busy-socket.ts";
import { FakeClock } from "../clock.ts";
import { holdSocket, listen, listenOnSocket } from "./listen.ts";
import { socketAnswers } from "./socket-answers.ts";

let path: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "stadion-listen-"));
  path = join(folder, "a.sock");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function serving(server: Server = createServer((socket) => socket.end())): Server {
  onTestFinished(() => void server.close());
  return server;
}

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

describe("a port", () => {
  test.each(["127.0.0.1", ...(hasIpv6 ? ["::1"] : []), "localhost"])(
    "of %s that somebody has is refused, and opened when it is free",
    async (host) => {
      const first = serving();
      await listen(first, { host, port: 0 });
      const { port, address } = first.address() as AddressInfo;
      const second = serving();
      await expect(listen(second, { host: address, port })).rejects.toMatchObject({ code: "EADDRINUSE" });
      await expect(listen(second, { host, port })).rejects.toMatchObject({ code: "EADDRINUSE" });
      first.close();
      await once(first, "close");
      await listen(second, { host, port });
      expect(second.address()).toMatchObject({ address, port });
    },
  );
});

describe("a socket", () => {
  test("answers while somebody listens, and when whoever does is too busy to take a connection", async () => {
    expect(await socketAnswers(path)).toBe(false);
    await busySocket(path);
    expect(await socketAnswers(path)).toBe(true);
    await expect(listenOnSocket(serving(), path)).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  test("that cannot take one connection goes on", async () => {
    const server = serving();
    await listen(server, { path });
    // As when too many files are open.
    server.emit("error", Object.assign(new Error("accept EMFILE"), { code: "EMFILE" }));
    expect(await socketAnswers(path)).toBe(true);
  });

  test("that somebody takes away is back a second later, and its connections go on", async () => {
    const clock = new FakeClock();
    const server = createHttpServer((_, response) => void response.write("one "));
    serving(server);
    await listenOnSocket(server, path);
    const letGo = holdSocket(server, path, clock);
    server.once("request", (_, response) => server.once("listening", () => void response.end("two")));
    const answered = new Promise<string>((resolve) => {
      get({ socketPath: path }, async (response) => {
        rmSync(path);
        expect(await socketAnswers(path)).toBe(false);
        await clock.advance(1_000);
        resolve((await response.toArray()).join(""));
      });
    });
    expect(await answered).toBe("one two");
    expect(await socketAnswers(path)).toBe(true);
    letGo();
    rmSync(path);
    await clock.advance(5_000);
    expect(await socketAnswers(path)).toBe(false);
  });

  test("that belongs to somebody else by now is left alone", async () => {
    const clock = new FakeClock();
    const first = serving();
    await listenOnSocket(first, path);
    onTestFinished(holdSocket(first, path, clock));
    rmSync(path);
    const second = serving();
    await listenOnSocket(second, path);
    const taken = once(second, "connection");
    await clock.advance(1_000);
    connect(path).on("error", () => {});
    await taken;
  });
});
