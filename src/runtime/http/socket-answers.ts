import { connect } from "node:net";

const NOBODY: ReadonlySet<unknown> = new Set(["ENOENT", "ECONNREFUSED"]);

/** Whether an error of connecting says that nobody listens there. Whoever is too busy to take one more connection is there all the same. */
export const isNobody = (error: unknown): boolean => NOBODY.has((error as NodeJS.ErrnoException | undefined)?.code);

/** Whether a process listens at a unix socket. A file that an ended process left behind answers no more than none. */
export function socketAnswers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", (error) => resolve(!isNobody(error)));
  });
}
