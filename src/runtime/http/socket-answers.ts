import { connect } from "node:net";

/** What a system says of a socket without a process behind it. Whoever is too busy to take one more connection is there all the same. */
const NOBODY: ReadonlySet<string | undefined> = new Set(["ENOENT", "ECONNREFUSED"]);

/** Whether a process listens at a unix socket. A file that an ended process left behind answers no more than none. */
export function socketAnswers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(!NOBODY.has(error.code)));
  });
}
