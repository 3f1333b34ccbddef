/** Listening, on a unix socket too whose file an earlier process may have left behind. */
import { unlink } from "node:fs/promises";
import { createConnection, type ListenOptions, type Server } from "node:net";

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
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || (await isAnswered(path))) throw error;
    await unlink(path);
    await listen(server, { path });
  }
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const settle = (answered: boolean) => () => {
      socket.destroy();
      resolve(answered);
    };
    socket.once("connect", settle(true));
    socket.once("error", settle(false));
  });
}
