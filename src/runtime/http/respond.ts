/** Writes answers to sockets. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { ApiResponse, BytesResponse, JsonResponse, WatchResponse } from "#api/meta/exchange.ts";
import { stringifyJson } from "#api/meta/json.ts";

/** What answers where nothing is served. */
export const pageNotFound: BytesResponse = {
  type: "bytes",
  status: 404,
  contentType: "text/plain; charset=utf-8",
  headers: { "x-content-type-options": "nosniff" },
  body: new TextEncoder().encode("404 page not found\n"),
};

const JSON_TYPE = "application/json";
/** Parts of a long list are gathered to this size before they go to the socket and others have their turn. */
const CHUNK_BYTES = 256 * 1024;

/** Sends an answer to its end, or until the client goes away. */
export async function respond(response: ServerResponse, answer: ApiResponse): Promise<void> {
  switch (answer.type) {
    case "json":
      return respondJson(response, answer);
    case "bytes":
      return respondBytes(response, answer);
    case "watch":
      return respondWatch(response, answer);
  }
}

async function respondJson(response: ServerResponse, answer: JsonResponse): Promise<void> {
  const headers = { "content-type": JSON_TYPE, "cache-control": "no-cache, private", ...answer.headers };
  if (!answer.parts) {
    const body = answer.encoded?.() ?? Buffer.from(stringifyJson(answer.value));
    response.writeHead(answer.status, { ...headers, "content-length": body.length });
    response.end(body);
    return;
  }
  response.writeHead(answer.status, headers);
  let gathered: Uint8Array[] = [];
  let size = 0;
  for (const part of answer.parts()) {
    gathered.push(part);
    size += part.length;
    if (size < CHUNK_BYTES) continue;
    if (!(await send(response, Buffer.concat(gathered, size)))) return;
    gathered = [];
    size = 0;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  response.end(Buffer.concat(gathered, size));
}

async function respondBytes(response: ServerResponse, answer: BytesResponse): Promise<void> {
  const headers = { "content-type": answer.contentType, ...answer.headers };
  const { body } = answer;
  if (body instanceof Uint8Array) {
    response.writeHead(answer.status, { ...headers, "content-length": body.length });
    response.end(body);
    return;
  }
  response.writeHead(answer.status, headers);
  response.flushHeaders();
  for await (const chunk of body) if (!(await send(response, chunk))) return;
  response.end();
}

async function respondWatch(response: ServerResponse, answer: WatchResponse): Promise<void> {
  response.writeHead(answer.status, { "content-type": JSON_TYPE, "cache-control": "no-cache, private" });
  response.flushHeaders();
  for await (const frames of answer.events) {
    response.cork();
    const accepted = frames.map(({ encoded }) => response.write(encoded())).every(Boolean);
    response.uncork();
    if (!accepted && !(await drained(response))) return;
  }
  response.end();
}

/** False when the client is gone. */
async function send(response: ServerResponse, chunk: Uint8Array): Promise<boolean> {
  if (response.destroyed) return false;
  return response.write(chunk) || drained(response);
}

async function drained(response: ServerResponse): Promise<boolean> {
  if (!response.writableNeedDrain) return !response.destroyed;
  const gone = new AbortController();
  const close = () => gone.abort();
  response.once("close", close);
  try {
    if (response.destroyed) return false;
    await once(response, "drain", { signal: gone.signal });
    return true;
  } catch {
    return false;
  } finally {
    response.off("close", close);
  }
}
