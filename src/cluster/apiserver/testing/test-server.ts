/** The API server on a store in memory and a clock that stands, for tests. */
import { onTestFinished } from "vitest";
import type { AdmissionPlugin, ApiGroup } from "#api/meta/admission.ts";
import type { ApiResponse, Method, WatchFrame } from "#api/meta/exchange.ts";
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import type { WatchEvent } from "#api/meta/object.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { MemoryStore, type MemoryStoreFaults } from "../../store/memory-store.ts";
import { type ObjectStore, openObjectStore } from "../../store/object-store.ts";
import { createApiServer } from "../server.ts";
import type { PodLogs } from "../subresources/log.ts";

export interface TestOptions {
  readonly admission?: readonly AdmissionPlugin[];
  readonly groups?: readonly ApiGroup[];
  readonly podLogs?: PodLogs;
  readonly definitions?: readonly JsonObject[];
  readonly random?: () => number;
  readonly history?: number;
  readonly faults?: MemoryStoreFaults;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

const administrator = { username: "admin", groups: ["system:masters"] };

export class TestServer {
  readonly clock = new FakeClock();
  readonly objects: ObjectStore;
  readonly handler: ReturnType<typeof createApiServer>["handler"];

  constructor(objects: ObjectStore, clock: FakeClock, handler: TestServer["handler"]) {
    this.objects = objects;
    this.clock = clock;
    this.handler = handler;
  }

  /** One request, with its query in the path. A patch's media type goes into the headers. */
  respond(
    method: Method,
    target: string,
    body?: JsonValue | Uint8Array,
    options: CallOptions = {},
  ): Promise<ApiResponse> {
    const [path = "", query = ""] = target.split("?", 2);
    return this.handler({
      method,
      path,
      query: new URLSearchParams(query),
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...options.headers },
      body,
      user: administrator,
      signal: options.signal ?? new AbortController().signal,
    });
  }

  /** A refusal that is no Status has its text in the member `text`. */
  async call(method: Method, target: string, body?: JsonValue | Uint8Array, options?: CallOptions): Promise<Answer> {
    const response = await this.respond(method, target, body, options);
    const { status, headers = {} } = response.type === "watch" ? { status: 200 } : response;
    if (response.type === "json") return { status, body: response.value, headers };
    if (response.type === "bytes" && response.body instanceof Uint8Array && status >= 400)
      return { status, body: { text: new TextDecoder().decode(response.body) }, headers };
    throw new Error(`${method} ${target} was answered with ${response.type}`);
  }

  patch(target: string, kind: "json" | "merge" | "strategic", patch: JsonValue): Promise<Answer> {
    const prefix = { json: "json-patch", merge: "merge-patch", strategic: "strategic-merge-patch" }[kind];
    return this.call("PATCH", target, patch, { headers: { "content-type": `application/${prefix}+json` } });
  }

  /** Makes a namespaced or cluster-scoped object and gives it back; throws when it is refused. */
  async make(collection: string, object: JsonObject): Promise<JsonObject> {
    const { status, body } = await this.call("POST", collection, object);
    if (status !== 201) throw new Error(`${collection}: ${JSON.stringify(body)}`);
    return body;
  }

  async watch(target: string, options: CallOptions = {}): Promise<TestWatch> {
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const response = await this.respond("GET", target, undefined, { ...options, signal: abort.signal });
    if (response.type !== "watch") throw new Error(`${target} was answered with ${JSON.stringify(response)}`);
    return new TestWatch(response.events, abort);
  }
}

/** Reads the events of a watch one by one. */
export class TestWatch {
  readonly #batches: AsyncIterator<readonly WatchFrame[]>;
  readonly #abort: AbortController;
  #waiting: WatchFrame[] = [];

  constructor(events: AsyncIterable<readonly WatchFrame[]>, abort: AbortController) {
    this.#batches = events[Symbol.asyncIterator]();
    this.#abort = abort;
  }

  /** The next frame; `undefined` at the end. */
  async nextFrame(): Promise<WatchFrame | undefined> {
    while (this.#waiting.length === 0) {
      const next = await this.#batches.next();
      if (next.done) return undefined;
      this.#waiting = [...next.value];
    }
    return this.#waiting.shift();
  }

  async next(): Promise<WatchEvent | undefined> {
    return (await this.nextFrame())?.event;
  }

  /** `TYPE name` of the next `count` events. */
  async take(count: number): Promise<string[]> {
    const events: string[] = [];
    for (let each = 0; each < count; each++) {
      const event = await this.next();
      events.push(`${event?.type} ${String((event?.object.metadata as JsonObject | undefined)?.name)}`);
    }
    return events;
  }

  stop(): void {
    this.#abort.abort();
  }
}

/** A running server; it ends with the test. */
export async function startTestServer(options: TestOptions = {}): Promise<TestServer> {
  const clock = new FakeClock();
  const objects = await openObjectStore(new MemoryStore(options.faults), {
    volatile: (collection) => collection === "/events" || collection === "coordination.k8s.io/leases",
    history: options.history,
    freeze: true,
    clock,
    log: silentLogger,
  });
  const server = createApiServer({
    objects,
    admission: options.admission ?? [],
    groups: options.groups ?? [],
    podLogs: options.podLogs,
    definitions: options.definitions,
    random: options.random,
    clock,
    log: silentLogger,
    version: "0.0.0",
  });
  const stop = new AbortController();
  const running = server.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    await objects.close();
  });
  await server.ready();
  return new TestServer(objects, clock, server.handler);
}
