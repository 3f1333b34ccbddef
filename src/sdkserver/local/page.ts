/** The page of local mode: what the GameServer is now, and buttons for what a game could ask for. It talks to the REST door alone. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { PAGE_BODY } from "./page-body.ts";
import { PAGE_SCRIPT } from "./page-script.ts";
import { PAGE_STYLE } from "./page-style.ts";

/** Answers `GET /` of whoever asks for HTML, and nothing else: false when the request is not for the page. */
export function servePage(request: IncomingMessage, response: ServerResponse): boolean {
  const isPage = request.method === "GET" && (request.url ?? "").split("?", 1)[0] === "/";
  if (!isPage || !/\btext\/html\b/.test(request.headers.accept ?? "")) return false;
  const nonce = randomBytes(16).toString("base64url");
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  response
    .writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    })
    .end(page(nonce));
  return true;
}

const page = (nonce: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GameServer</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${PAGE_STYLE}</style>
</head>
<body>${PAGE_BODY}<script nonce="${nonce}">${PAGE_SCRIPT}</script></body>
</html>
`;
