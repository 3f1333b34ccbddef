/** Where an autoscaler asks, what it asks, and what an answer means. */

import type { FeatureGates } from "../agones/feature-gates.ts";
import type { Fleet } from "../agones/fleet.ts";
import type { JsonValue } from "../meta/json.ts";
import type { PromiseRow } from "../meta/promise-row.ts";
import { CA_BUNDLE } from "./autoscaler.fixture.ts";
import type { UrlConfiguration } from "./policy.ts";

interface UrlPromise extends PromiseRow {
  readonly configuration: UrlConfiguration;
  readonly url?: string;
  readonly error?: string;
}

const service = { name: "oracle", namespace: "tools" };
const nowhere = { name: "oracle", namespace: "" };

export const urls: readonly UrlPromise[] = [
  {
    section: "8.5",
    name: "a URL is used as given",
    configuration: { url: "HTTP://a/%7e?b#c" },
    url: "HTTP://a/%7e?b#c",
  },
  { section: "8.5", name: "a service's port is 8000", configuration: { service }, url: "http://oracle.tools.svc:8000" },
  {
    section: "14",
    name: "a service's port is 8000 over https too",
    configuration: { service, caBundle: CA_BUNDLE },
    url: "https://oracle.tools.svc:8000",
  },
  {
    section: "8.5",
    name: "a CA bundle makes it https",
    configuration: { service: { ...service, port: 8443, path: "/size" }, caBundle: CA_BUNDLE },
    url: "https://oracle.tools.svc:8443/size",
  },
  {
    section: "8.5",
    name: "a CA bundle leaves a URL's scheme alone",
    configuration: { url: "http://a", caBundle: CA_BUNDLE },
    url: "http://a",
  },
  {
    section: "8.5",
    name: "a missing slash is supplied",
    configuration: { service: { ...service, path: "size/now" } },
    url: "http://oracle.tools.svc:8000/size/now",
  },
  {
    section: "8.5",
    name: "a service without a namespace is one of default",
    configuration: { service: nowhere },
    url: "http://oracle.default.svc:8000",
  },
  { section: "8.5", name: "an empty URL", configuration: { url: "" }, error: "URL was not provided" },
  { section: "8.5", name: "no place at all", configuration: {}, error: "either URL or Service must be provided" },
  {
    section: "8.5",
    name: "two places",
    configuration: { url: "http://a", service },
    error: "service and url cannot be used simultaneously",
  },
];

interface RequestPromise extends PromiseRow {
  readonly metadata?: Fleet["metadata"];
  readonly status?: Fleet["status"];
  readonly gates?: Partial<FeatureGates>;
  /** What the request holds besides `uid`, `name` and `namespace`. */
  readonly request: object;
}

const zero = { replicas: 0, readyReplicas: 0, reservedReplicas: 0, allocatedReplicas: 0 };
const sums = { allocatedCount: 9n, allocatedCapacity: 40n, count: 9n, capacity: 60n };
const marks = { labels: { tier: "gold" }, annotations: { owner: "ops" } };
const players = { count: 0n, capacity: 0n };

export const requests: readonly RequestPromise[] = [
  { section: "8.5", name: "all counts are told, whether there or not", request: { status: zero } },
  {
    section: "8.5",
    name: "counters and lists are told when there are any",
    status: { replicas: 6, counters: { rooms: sums }, lists: {} },
    request: { status: { ...zero, replicas: 6, counters: { rooms: sums } } },
  },
  {
    section: "8.5",
    name: "players are not told without their gate",
    status: { players },
    request: { status: zero },
  },
  {
    section: "8.5",
    name: "players are told with their gate",
    status: { players },
    gates: { PlayerTracking: true },
    request: { status: { ...zero, players } },
  },
  {
    section: "8.5",
    name: "labels and annotations are the fleet's",
    metadata: marks,
    request: { status: zero, ...marks },
  },
  {
    section: "8.5",
    name: "labels and annotations are not told without their gate, or when empty",
    metadata: { labels: { tier: "gold" }, annotations: {} },
    gates: { FleetAutoscaleRequestMetaData: false },
    request: { status: zero },
  },
  {
    section: "8.5",
    name: "conditions are none of the question",
    status: {
      replicas: 1,
      conditions: [{ type: "A", status: "True", reason: "B", message: "", lastTransitionTime: "2030-01-01T00:00:00Z" }],
    },
    request: { status: { ...zero, replicas: 1 } },
  },
];

interface ResponsePromise extends PromiseRow {
  readonly answer: JsonValue;
  readonly response?: object;
  readonly error?: string;
}

export const responses: readonly ResponsePromise[] = [
  {
    section: "8.5",
    name: "a response is read",
    answer: { request: null, response: { uid: "u", scale: true, replicas: 9 } },
    response: { uid: "u", scale: true, replicas: 9 },
  },
  {
    section: "8.5",
    name: "what is absent is empty, false and zero",
    answer: { response: { uid: null } },
    response: { uid: "", scale: false, replicas: 0 },
  },
  {
    section: "8.5",
    name: "no servers at all are a size",
    answer: { response: { scale: true, replicas: 0 } },
    response: { uid: "", scale: true, replicas: 0 },
  },
  ...[{}, { replicas: null }].map((response) => ({
    section: "8.5",
    name: `a size that is not given is not zero: ${JSON.stringify(response)}`,
    answer: { response: { scale: true, ...response } },
    error: "response.replicas must be given where response.scale is true",
  })),
  {
    section: "8.5",
    name: "a size is read only where there is something to scale",
    answer: { response: { scale: false, replicas: "9" } },
    response: { uid: "", scale: false, replicas: 0 },
  },
  ...[null, {}, { response: null }, [], "9", { response: [] }].map((answer) => ({
    section: "8.5",
    name: `no response: ${JSON.stringify(answer)}`,
    answer,
    error: "the answer has no response",
  })),
  ...[1.5, -1, "9", 2147483648, 9007199254740993n].map((replicas) => ({
    section: "8.5",
    name: `no count of servers: ${replicas}`,
    answer: { response: { scale: true, replicas } },
    error: "response.replicas must be a whole number from 0 to 2147483647",
  })),
  {
    section: "8.5",
    name: "no truth value",
    answer: { response: { scale: "true" } },
    error: 'response.scale must be true or false, and is "true"',
  },
  {
    section: "8.5",
    name: "no identity",
    answer: { response: { uid: 1 } },
    error: "response.uid must be a text, and is 1",
  },
];

interface HashPromise extends PromiseRow {
  readonly hash?: string;
  readonly matches: boolean;
}

/** Of the module whose text is `abc`. */
const ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

export const hashes: readonly HashPromise[] = [
  { section: "8.6", name: "a module has its SHA-256", hash: ABC, matches: true },
  { section: "8.6", name: "capital letters are the same hash", hash: ABC.toUpperCase(), matches: true },
  { section: "8.6", name: "without a hash any module will do", matches: true },
  { section: "8.6", name: "another module", hash: `0${ABC.slice(1)}`, matches: false },
];
