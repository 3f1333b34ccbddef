import { readFile } from "node:fs/promises";

/** Who is connected to a TCP port of this machine, and who was within the last minute. */
export interface Connections {
  /** Anybody is. */
  readonly isOpen: boolean;
  /** The other ends, address and port, of all connections there are or were. */
  readonly clients: ReadonlySet<string>;
}

/** States of TCP, in hexadecimal as Linux writes all of it. */
const ESTABLISHED = "01";
const LISTEN = "0A";

/** As Linux tells; nobody where it cannot be asked. */
export async function connectionsTo(port: number): Promise<Connections> {
  const server = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  let isOpen = false;
  const clients = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const text = await readFile(table, "utf8").catch(() => "");
    for (const line of text.split("\n")) {
      const [, local = "", remote = "", state = ""] = line.trim().split(/\s+/);
      if (state === LISTEN) continue;
      // A connection that was closed is remembered by the end that closed it.
      if (local.endsWith(server)) clients.add(remote);
      else if (remote.endsWith(server)) clients.add(local);
      isOpen ||= local.endsWith(server) && state === ESTABLISHED;
    }
  }
  return { isOpen, clients };
}
