import { connect } from "node:net";

/** Whether a process accepts connections at a unix socket. A file that an ended process left behind answers no more than none. */
export function socketAnswers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
