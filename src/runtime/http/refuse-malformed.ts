import type { Duplex } from "node:stream";
import { stringifyJson } from "#api/meta/json.ts";
import { type StatusReason, statusError } from "#api/meta/status.ts";

interface Refusal {
  readonly code: number;
  readonly reason: StatusReason;
  readonly message: string;
}

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { code: 431, reason: "BadRequest", message: "the headers of the request are too large" },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 408, reason: "Timeout", message: "the request did not arrive in time" },
};
const malformed: Refusal = { code: 400, reason: "BadRequest", message: "the request is not valid HTTP" };

/** Answers bytes that never became a request, and ends the connection. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { code, reason, message } = refusals[error.code ?? ""] ?? malformed;
  const body = stringifyJson(statusError(reason, message, undefined, code).status);
  socket.end(
    `HTTP/1.1 ${code} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
