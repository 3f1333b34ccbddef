/**
 * A log on its way through the agent's socket: pieces, each with the place where the next one begins, so that whoever reads can go on
 * with the next agent when this one dies. A piece is two lengths of four bytes, big-endian, then the place and the bytes.
 */
export interface LogPiece {
  readonly bytes: Buffer;
  /** For `PodLogQuery.from`. */
  readonly next: string;
}

const HEAD_BYTES = 8;

export async function* writeFrames(pieces: AsyncIterable<LogPiece>): AsyncGenerator<Buffer> {
  for await (const { bytes, next } of pieces) {
    const place = Buffer.from(next);
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(place.length, 0);
    head.writeUInt32BE(bytes.length, 4);
    yield Buffer.concat([head, place, bytes]);
  }
}

/** Of a piece that does not end, nothing is given. Rejects as `stream` does. */
export async function* readFrames(stream: AsyncIterable<Uint8Array>): AsyncGenerator<LogPiece> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= HEAD_BYTES) {
      const place = HEAD_BYTES + rest.readUInt32BE(0);
      const end = place + rest.readUInt32BE(4);
      if (rest.length < end) break;
      yield { next: rest.toString("utf8", HEAD_BYTES, place), bytes: rest.subarray(place, end) };
      rest = rest.subarray(end);
    }
  }
}
