import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";

/** A socket that is listened on while nobody takes a connection, and with so many waiting that the next one is refused. Ends with the test. */
export async function busySocket(path: string): Promise<void> {
  const code = `const { parentPort, workerData } = require("node:worker_threads");
    require("node:net").createServer().listen({ path: workerData, backlog: 1 }, () => {
      parentPort.postMessage("up");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const worker = new Worker(code, { eval: true, workerData: path });
  const waiting: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of waiting) socket.destroy();
    await worker.terminate();
  });
  await once(worker, "message");
  for (let isRefused = false; !isRefused; ) {
    const socket = connect(path);
    waiting.push(socket);
    isRefused = await new Promise((done) => socket.once("connect", () => done(false)).on("error", () => done(true)));
  }
}
