/** Asks a game server as a player's client does. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";

export interface GameAddress {
  readonly address: string;
  readonly port: number;
}

const PATIENCE_MS = 5_000;

/** Sends a datagram and returns the answer's text; rejects when none comes. */
export async function askUdp({ address, port }: GameAddress, text: string): Promise<string> {
  const socket = createSocket("udp4");
  try {
    socket.connect(port, address);
    await once(socket, "connect");
    socket.send(text);
    const [answer] = (await once(socket, "message", { signal: AbortSignal.timeout(PATIENCE_MS) })) as [Buffer];
    return answer.toString();
  } finally {
    socket.close();
  }
}

/** Sends a line and returns the first that is answered; rejects when none comes. */
export async function askTcp({ address, port }: GameAddress, text: string): Promise<string> {
  const socket = connect(port, address);
  try {
    socket.write(`${text}\n`);
    const [answer] = (await once(socket, "data", { signal: AbortSignal.timeout(PATIENCE_MS) })) as [Buffer];
    return answer.toString();
  } finally {
    socket.destroy();
  }
}
