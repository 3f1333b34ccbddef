/** Listening, on a unix socket too whose file an earlier process may have left behind. */
import { unlink } from "node:fs/promises";
import type { ListenOptions, Server } from "node:net";
import { socketAnswers } from "./socket-answers.ts";

/** Resolves when the server accepts connections. Rejects with the system's error (`EADDRINUSE`, `EACCES`, …). */
export async function listen(server: Server, options: ListenOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => {
      server.off("error", reject);
      resolve();
    });
  });
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
