/** How others know that a `stadion dev` still runs: a socket in the cluster's data folder that only the living process answers. */
import { rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Clock } from "#runtime/clock.ts";
import { holdSocket, listen } from "#runtime/http/listen.ts";
import { isNobody } from "#runtime/http/socket-answers.ts";

const socketOf = (dataDir: string, pid: number): string => join(dataDir, `dev-${pid}.sock`);

/** Answers for this process until it is disposed, or until the process ends, in whatever way. */
export async function announceDev(dataDir: string, clock: Clock, pid: number = process.pid): Promise<AsyncDisposable> {
  const path = socketOf(dataDir, pid);
  // Of an earlier process with this number.
  rmSync(path, { force: true });
  const callers = new Set<Socket>();
  const server = createServer((caller) => {
    callers.add(caller);
    caller.on("error", () => {}).on("close", () => callers.delete(caller));
    caller.resume();
  });
  await listen(server, { path });
  const letGo = holdSocket(server, path, clock);
  return {
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        letGo();
        server.close(() => resolve());
        for (const caller of callers) caller.destroy();
      }),
  };
}

/** A process that was there. */
export interface DevPresence {
  /** Resolves once it is gone. */
  readonly gone: Promise<void>;
  /** Looks no longer; `gone` resolves. */
  close(): void;
}

/** Resolves with `undefined` when the process has ended. Rejects when that cannot be known. */
export function findDev(dataDir: string, pid: number): Promise<DevPresence | undefined> {
  const path = socketOf(dataDir, pid);
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    const gone = new Promise<void>((closed) => socket.once("close", () => closed()));
    socket.resume();
    socket.once("connect", () => resolve({ gone, close: () => void socket.destroy() }));
    socket.on("error", (error) => {
      if (!isNobody(error)) return reject(error);
      rmSync(path, { force: true });
      resolve(undefined);
    });
  });
}
