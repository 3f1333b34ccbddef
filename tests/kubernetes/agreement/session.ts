import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { type Answer, type ApiServer, type CallOptions, objectPath } from "./api-server.ts";
import { normalised, withoutEmpty, withoutWords } from "./normalise.ts";

/** What one server answered to one request of a scenario. */
export interface Note {
  readonly what: string;
  readonly answer: JsonValue;
  /** The difference that is documented under this topic is expected here. */
  readonly topic?: string;
}

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** How strictly the notes from now on are compared. */
type Manner =
  | { readonly kind: "exactly" }
  /** Status, reason and kind of a refusal, not its sentences: Kubernetes' own JSON decoder writes them. */
  | { readonly kind: "loosely" }
  | { readonly kind: "documented"; readonly topic: string };

/** One scenario on one server, in a namespace of its own. Every answer is noted. */
export class Session {
  readonly server: ApiServer;
  readonly namespace: string;
  readonly notes: Note[] = [];
  readonly #generated: string[] = [];
  /** Go writes members of built-in types that say nothing. */
  emptyIsAbsent = false;
  #manner: Manner = { kind: "exactly" };

  constructor(server: ApiServer, namespace: string) {
    this.server = server;
    this.namespace = namespace;
  }

  async call(method: string, path: string, body?: JsonValue | Uint8Array, options?: CallOptions): Promise<Answer> {
    const answer = await this.server.call(method, this.path(path), body, options);
    const { status, contentType, warnings } = answer;
    this.note(`${method} ${path}`, {
      status,
      contentType,
      ...(warnings.length > 0 && { warnings: [...warnings] }),
      body: answer.body,
    });
    return answer;
  }

  /** Not noted; for what goes before. */
  async quietly(method: string, path: string, body?: JsonValue, options?: CallOptions): Promise<JsonObject> {
    return (await this.server.call(method, this.path(path), body, options)).body as JsonObject;
  }

  note(what: string, answer: JsonValue): void {
    const told = normalised(answer, this.#generated);
    const seen = this.emptyIsAbsent ? withoutEmpty(told) : told;
    const manner = this.#manner;
    this.notes.push({
      what,
      answer: manner.kind === "loosely" ? withoutWords(seen) : seen,
      ...(manner.kind === "documented" && { topic: manner.topic }),
    });
  }

  /** Compares only the kind of answer of the requests in `step`. */
  loosely(step: () => Promise<unknown>): Promise<void> {
    return this.#as({ kind: "loosely" }, step);
  }

  /** Expects the documented difference in each answer in `step`. */
  differing(topic: string, step: () => Promise<unknown>): Promise<void> {
    return this.#as({ kind: "documented", topic }, step);
  }

  async #as(manner: Manner, step: () => Promise<unknown>): Promise<void> {
    const before = this.#manner;
    this.#manner = manner;
    try {
      await step();
    } finally {
      this.#manner = before;
    }
  }

  /** Names with this prefix are completed by each server in its own way. */
  generates(prefix: string): void {
    this.#generated.push(prefix);
  }

  /** `NS` in a path is the scenario's namespace. */
  path(path: string): string {
    return path.replace("/NS/", `/${this.namespace}/`);
  }

  /** POST into the collection of its kind. */
  create(object: JsonObject, query = ""): Promise<Answer> {
    return this.call("POST", `${objectPath(object, "NS")}${query}`, object);
  }

  get(path: string, accept?: string): Promise<Answer> {
    return this.call("GET", path, undefined, accept === undefined ? {} : { accept });
  }

  patch(path: string, type: keyof typeof patchTypes, patch: JsonValue, query = ""): Promise<Answer> {
    return this.call("PATCH", `${path}${query}`, patch, { contentType: patchTypes[type] });
  }
}
