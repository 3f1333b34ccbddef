/** Listening, on a unix socket too whose file an earlier process may have left behind, or somebody takes away. */
import { existsSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { BoundSocket, isIP, type ListenOptions, Server } from "node:net";
import type { Clock } from "../clock.ts";
import { socketAnswers } from "./socket-answers.ts";

/** So soon a socket file that was taken away is put back. */
const LOOK_MS = 1_000;

/**
 * Resolves when the server accepts connections. Rejects with the system's error (`EADDRINUSE`, `EACCES`, …). Later errors are of one connection
 * that could not be taken, as when too many files are open: the next may be.
 */
export async function listen(server: Server, options: ListenOptions): Promise<void> {
  const place = bound(options);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(place, () => {
      server.off("error", reject).on("error", () => {});
      resolve();
    });
  });
}

/** An address in figures is bound without a look for its name, whose first one in a process compiles an expression for 8 ms. */
function bound(options: ListenOptions): ListenOptions {
  const { host, port } = options;
  return host !== undefined && isIP(host)
    ? { handle: new BoundSocket({ host, ...(port !== undefined && { port }) }) }
    : options;
}

/** Like `listen`; a socket file that nobody answers on is replaced. */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  try {
    await listen(server, { path });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || (await socketAnswers(path))) throw error;
    await unlink(path);
    await listen(server, { path });
  }
}

/**
 * Puts the file of the socket that a server listens on back when somebody has taken it away, as those do who tidy temporary folders: whoever
 * looks for this process by it would take it for ended. Open connections go on. Call what it returns before the server is closed.
 */
export function holdSocket(server: Server, path: string, clock: Clock): () => void {
  const look = (): void => {
    cancel = clock.after(LOOK_MS, look);
    if (existsSync(path)) return;
    // The listening alone: an HTTP server's own `close` would end connections too.
    Server.prototype.close.call(server);
    server.listen({ path });
  };
  let cancel = clock.after(LOOK_MS, look);
  return () => cancel();
}
