import type { IncomingMessage } from "node:http";
import { badRequest, statusError } from "#api/meta/status.ts";

/** As Kubernetes: a request may carry this many bytes. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The whole body; `undefined` for none. Rejects with RequestEntityTooLarge, UnsupportedMediaType, or when the client goes away. */
export async function readBody(request: IncomingMessage, limit = MAX_BODY_BYTES): Promise<Uint8Array | undefined> {
  const encoding = request.headers["content-encoding"];
  if (encoding && encoding !== "identity")
    throw statusError("UnsupportedMediaType", `the content encoding ${JSON.stringify(encoding)} is not supported`);
  if (Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  if (!request.complete) throw badRequest("the request ended before its body was complete");
  return size === 0 ? undefined : chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size);
}

const tooLarge = (limit: number) =>
  statusError("RequestEntityTooLarge", `the request is too large: limit is ${limit} bytes`);
