/** What messages hold while they arrive. A game may open any number of calls and finish none: all of a door have one allowance. */
import { RpcError } from "./rpc-error.ts";

/** Four of the longest messages; those of games are a thousandth of that. */
const MOST_HELD_BYTES = 16 * 1024 * 1024;

/** How much the unfinished messages of one door hold. */
export class MessageMemory {
  #held = 0;

  /** Refuses with `ResourceExhausted` what would be too much. */
  take(bytes: number): void {
    if (this.#held + bytes > MOST_HELD_BYTES)
      throw new RpcError("ResourceExhausted", `unfinished messages hold more than ${MOST_HELD_BYTES} bytes`);
    this.#held += bytes;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}

/** The bytes of a message that comes in pieces: copied, for a piece may be a small part of much that was read from a socket. */
export class PartialMessage {
  readonly #memory: MessageMemory;
  #bytes = Buffer.alloc(0);
  #size = 0;

  constructor(memory: MessageMemory) {
    this.#memory = memory;
  }

  get size(): number {
    return this.#size;
  }

  /** What has come so far; not to be written to. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  /**
   * Costs no more for many small pieces than for one. Makes no room beyond `end`, which is where the message ends as far as that is known.
   * Refuses with `ResourceExhausted` when the door's allowance is used up.
   */
  add(piece: Uint8Array, end: number): void {
    const size = this.#size + piece.length;
    if (size > this.#bytes.length) {
      const room = Math.max(size, Math.min(2 * this.#bytes.length, end));
      this.#memory.take(room - this.#bytes.length);
      const bytes = Buffer.allocUnsafeSlow(room);
      bytes.set(this.bytes);
      this.#bytes = bytes;
    }
    this.#bytes.set(piece, this.#size);
    this.#size = size;
  }

  /** Nothing has come; `bytes` that were taken before stay as they are. */
  clear(): void {
    this.#memory.give(this.#bytes.length);
    this.#bytes = Buffer.alloc(0);
    this.#size = 0;
  }
}
