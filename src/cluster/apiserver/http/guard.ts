/** Who may speak to the server over a socket, decided before any body is read. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { type StatusError, statusError } from "#api/meta/status.ts";

export interface GuardOptions {
  /** What `Authorization: Bearer` must carry. */
  readonly token: string;
  /** Host names under which the server is addressed, without ports; lower-case. */
  readonly hosts: ReadonlySet<string>;
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Loopback's names and those given; an IPv6 address in brackets, as it stands in a Host header. */
export function hostNames(...more: readonly string[]): ReadonlySet<string> {
  return new Set([...LOOPBACK, ...more.map((each) => (each.includes(":") ? `[${each}]` : each).toLowerCase())]);
}

/** A check of headers: the refusal, or `undefined` for none. */
export type HeaderGuard = (headers: IncomingHttpHeaders) => StatusError | undefined;

/**
 * For a TCP port. A browser is kept out by Host (a name that only resolves to us is not ours) and by Origin (no page but our own),
 * anybody else by the token, which is compared in constant time.
 */
export function tokenGuard({ token, hosts }: GuardOptions): HeaderGuard {
  const expected = digest(token);
  return (headers) => {
    const refused = checkHost(headers, hosts) ?? checkImpersonation(headers);
    if (refused) return refused;
    const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return undefined;
    return statusError("Unauthorized", "Unauthorized");
  };
}

/** For a unix socket, whose folder's mode says who may connect. */
export const socketGuard: HeaderGuard = (headers) => checkOrigin(headers) ?? checkImpersonation(headers);

function checkHost(headers: IncomingHttpHeaders, hosts: ReadonlySet<string>): StatusError | undefined {
  const host = headers.host ?? "";
  const name = host.replace(/:\d+$/, "").toLowerCase();
  if (!hosts.has(name)) return forbidden(`the host ${JSON.stringify(host)} is not this server`);
  return checkOrigin(headers);
}

function checkOrigin({ origin, host }: IncomingHttpHeaders): StatusError | undefined {
  if (origin === undefined || origin === `http://${host}` || origin === `https://${host}`) return undefined;
  return forbidden(`requests from the origin ${JSON.stringify(origin)} are not accepted`);
}

function checkImpersonation(headers: IncomingHttpHeaders): StatusError | undefined {
  const header = Object.keys(headers).find((name) => name.startsWith("impersonate-"));
  return header === undefined ? undefined : forbidden("impersonation is not supported: there is one administrator");
}

const forbidden = (why: string) => statusError("Forbidden", why);
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
