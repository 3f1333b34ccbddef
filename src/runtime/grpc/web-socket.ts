/**
 * The server's half of a WebSocket (RFC 6455) that only speaks: texts go out, what comes in is passed over but for closes and pings.
 * No extension is offered, no text is split, and no length is too much.
 */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "../clock.ts";
import { canceled } from "./rpc-error.ts";

const OPCODE = { text: 1, close: 8, ping: 9, pong: 10 } as const;
/** Reasons for a close: all was said; the other side breaks the protocol. */
const CODE = { normal: 1000, protocol: 1002 } as const;

const KEY_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const MOST_CONTROL_BYTES = 125;
/** How long the other side may take to close after us. */
const CLOSE_MS = 1000;

/** True for a request that asks for a WebSocket; one for another protocol, such as `h2c`, is served as it is. */
export const wantsWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket";

export class WebSocketSpeaker {
  readonly #socket: Duplex;
  readonly #clock: Clock;
  readonly #gone = new AbortController();
  readonly #frames: FrameReader;
  #isClosing = false;
  #release = (): void => {};

  private constructor(socket: Duplex, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    this.#frames = new FrameReader((opcode, payload) => this.#take(opcode, payload));
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("drain", () => this.#release());
    socket.on("error", () => socket.destroy());
    socket.on("end", () => socket.end());
    socket.on("close", () => this.#end());
  }

  /** Completes the handshake; `undefined` when it is none that can be completed, which was answered. */
  static accept(request: IncomingMessage, socket: Duplex, head: Buffer, clock: Clock): WebSocketSpeaker | undefined {
    const { "sec-websocket-key": key, "sec-websocket-version": version } = request.headers;
    if (version !== "13" || key === undefined) {
      const status = version === "13" ? "400 Bad Request" : "426 Upgrade Required";
      socket.on("error", () => socket.destroy());
      socket.end(`HTTP/1.1 ${status}\r\nSec-WebSocket-Version: 13\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return undefined;
    }
    const accepted = createHash("sha1").update(`${key}${KEY_SUFFIX}`).digest("base64");
    // Clients that offer protocols want one of them chosen; here all mean the same.
    const [protocol] = (request.headers["sec-websocket-protocol"] ?? "").split(",");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}\r\n` +
        `${protocol ? `Sec-WebSocket-Protocol: ${protocol.trim()}\r\n` : ""}\r\n`,
    );
    const speaker = new WebSocketSpeaker(socket, clock);
    if (head.length > 0) speaker.#read(head);
    return speaker;
  }

  /** Aborts when the other side closes or is gone. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Resolves when the text has left, or when nobody reads it any more. */
  async send(text: string): Promise<void> {
    if (this.#isClosing || this.signal.aborted) return;
    if (this.#write(OPCODE.text, Buffer.from(text))) return;
    await new Promise<void>((resolve) => {
      this.#release = resolve;
    });
  }

  /** Says that nothing more will come. */
  close(code: number = CODE.normal): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const reason = Buffer.alloc(2);
    reason.writeUInt16BE(code);
    this.#write(OPCODE.close, reason);
    this.#socket.end();
    const cancel = this.#clock.after(CLOSE_MS, () => this.#socket.destroy());
    this.#socket.once("close", cancel);
  }

  #read(chunk: Buffer): void {
    if (!this.#frames.read(chunk)) this.close(CODE.protocol);
  }

  #take(opcode: number, payload: Buffer): void {
    if (opcode === OPCODE.close) {
      this.close();
      this.#end();
    } else if (opcode === OPCODE.ping && !this.#isClosing && !this.#socket.writableNeedDrain)
      this.#write(OPCODE.pong, payload);
  }

  #write(opcode: number, payload: Buffer): boolean {
    if (this.#socket.destroyed || this.#socket.writableEnded) return true;
    this.#socket.cork();
    this.#socket.write(frameHead(opcode, payload.length));
    const hasLeft = this.#socket.write(payload);
    this.#socket.uncork();
    return hasLeft;
  }

  #end(): void {
    this.#gone.abort(canceled());
    this.#release();
  }
}

function frameHead(opcode: number, length: number): Buffer {
  const first = 0x80 | opcode;
  if (length <= MOST_CONTROL_BYTES) return Buffer.from([first, length]);
  if (length < 2 ** 16) return Buffer.from([first, 126, length >> 8, length & 0xff]);
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** Takes frames out of a stream of bytes; of those with data only the end is found. */
class FrameReader {
  readonly #onControl: (opcode: number, payload: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of data still to be passed over. */
  #skip = 0;

  constructor(onControl: (opcode: number, payload: Buffer) => void) {
    this.#onControl = onControl;
  }

  /** False when what came is no WebSocket any more. */
  read(chunk: Buffer): boolean {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    for (;;) {
      const skipped = Math.min(this.#skip, bytes.length);
      this.#skip -= skipped;
      bytes = bytes.subarray(skipped);
      const head = readHead(bytes);
      if (head === "more") break;
      if (head === "wrong") return false;
      const { opcode, size, length, mask } = head;
      if (opcode < OPCODE.close) {
        bytes = bytes.subarray(size);
        this.#skip = length;
      } else {
        if (bytes.length < size + length) break;
        const payload = Buffer.from(bytes.subarray(size, size + length).map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
        bytes = bytes.subarray(size + length);
        this.#onControl(opcode, payload);
      }
    }
    this.#rest = bytes;
    return true;
  }
}

type Head = { readonly opcode: number; readonly size: number; readonly length: number; readonly mask: Buffer };

function readHead(bytes: Buffer): Head | "more" | "wrong" {
  const [first = 0, second = 0] = bytes;
  if (bytes.length < 2) return "more";
  const opcode = first & 0x0f;
  const short = second & 0x7f;
  const isMasked = (second & 0x80) !== 0;
  const isControl = opcode >= OPCODE.close;
  const isKnown = opcode <= 2 || (isControl && opcode <= OPCODE.pong);
  if (!isKnown || !isMasked || (first & 0x70) !== 0 || (isControl && short > MOST_CONTROL_BYTES)) return "wrong";
  const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
  const size = 2 + lengthBytes + 4;
  if (bytes.length < size) return "more";
  const length =
    lengthBytes === 8 ? Number(bytes.readBigUInt64BE(2)) : lengthBytes === 2 ? bytes.readUInt16BE(2) : short;
  return { opcode, size, length, mask: bytes.subarray(size - 4, size) };
}
