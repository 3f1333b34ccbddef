/** The path grammar of the Kubernetes API. */
import { badRequest } from "#api/meta/status.ts";

/** Where a request for stored resources (or for a group's own handler) points. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace?: string;
  /** Plural name. */
  readonly resource: string;
  readonly name?: string;
  /** One segment or none. */
  readonly subresource?: string;
}

export interface RequestPath {
  /** Decoded segments; a trailing slash adds none. */
  readonly segments: readonly string[];
  /** Present when the path goes below a group's version. */
  readonly resource?: ResourcePath;
}

/** Sub-paths of a namespace that are not collections in it. */
const namespaceSubresources = new Set(["status", "finalize"]);

/** Nothing in it needs decoding or could be refused. */
const plain = /^[\w./-]*$/;

/** Splits and decodes a path; `undefined` when no part of the grammar has its shape. Throws BadRequest on a bad escape. */
export function parsePath(path: string): RequestPath | undefined {
  const raw = (path.endsWith("/") ? path.slice(0, -1) : path).split("/").slice(1);
  if (raw.includes("")) return undefined;
  const segments = plain.test(path) ? raw : raw.map(decodeSegment);
  const [root, ...rest] = segments;
  if (root === "api" && rest.length >= 2) return below(segments, "", rest);
  if (root === "apis" && rest.length >= 3) return below(segments, rest[0] as string, rest.slice(1));
  return { segments };
}

function below(segments: readonly string[], group: string, rest: readonly string[]): RequestPath | undefined {
  const [version = "", ...tail] = rest;
  const inNamespace =
    tail[0] === "namespaces" &&
    tail.length >= 3 &&
    !(tail.length === 3 && namespaceSubresources.has(tail[2] as string));
  const [resource, name, subresource, ...more] = inNamespace ? tail.slice(2) : tail;
  if (resource === undefined || more.length > 0) return undefined;
  return {
    segments,
    resource: { group, version, resource, name, subresource, ...(inNamespace && { namespace: tail[1] }) },
  };
}

/** A segment that holds a slash or a control character once decoded is no name of anything. */
function decodeSegment(segment: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    throw badRequest(`the path segment ${JSON.stringify(segment)} is not valid percent-encoding`);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[/\u0000-\u001f]/.test(decoded)) throw badRequest(`the path segment ${JSON.stringify(segment)} is not a name`);
  return decoded;
}
