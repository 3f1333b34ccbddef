/** Game servers of a studio's own: small programs that know nothing of Stadion but the SDK server's REST port. */
import { chmodSync, writeFileSync } from "node:fs";

/** Calls Ready, pings twice a second, answers every datagram with its arguments. */
const GAME = `#!${process.execPath}
import { createSocket } from "node:dgram";
const call = (path) =>
  fetch("http://localhost:" + process.env.AGONES_SDK_HTTP_PORT + path, { method: "POST", body: "{}" });
const socket = createSocket("udp4");
socket.on("message", (_, { port, address }) => socket.send(process.argv.slice(2).join(" "), port, address));
socket.bind(Number(process.env.PORT), async () => {
  await call("/ready");
  setInterval(() => call("/health").catch(() => {}), 500);
  console.log("my game listens on " + process.env.PORT);
});
`;

/** Writes a program, that game by default, and returns its path. */
export function writeProgram(path: string, text: string = GAME, mode = 0o755): string {
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}
