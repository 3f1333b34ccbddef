import { isFree } from "#cli/dev/free-port.ts";

/** Below the ports that systems give to connections, and away from those of clusters in tests, their games and SDK servers. */
const FIRST = 14_000;
const COUNT = 6_000;

/** A port that nobody has, for TCP and UDP, and that the system gives to nobody while a program that is told of it starts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port, "TCPUDP")) return port;
  }
}
