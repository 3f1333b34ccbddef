/** Tests that hold one scenario against the embedded API server and a real one. */
import { afterAll, expect, inject, test } from "vitest";
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { type Answer, ApiServer, type CallOptions, objectPath } from "./api-server.ts";
import { differences } from "./differences.ts";
import { normalised } from "./normalise.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly kubernetesKubeconfig: string;
    readonly embeddedKubeconfig: string;
  }
}

/** What one server answered to a scenario, request by request. */
type Record = readonly JsonValue[];

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** One scenario on one server, in a namespace of its own. Every answer is noted. */
export class Session {
  readonly server: ApiServer;
  readonly namespace: string;
  readonly notes: JsonValue[] = [];
  readonly #generated: string[] = [];

  constructor(server: ApiServer, namespace: string) {
    this.server = server;
    this.namespace = namespace;
  }

  async call(method: string, path: string, body?: JsonValue | Uint8Array, options?: CallOptions): Promise<Answer> {
    const answer = await this.server.call(method, this.path(path), body, options);
    const { status, contentType, warnings } = answer;
    this.note({
      [`${method} ${path}`]: status,
      contentType,
      ...(warnings.length > 0 && { warnings: [...warnings] }),
      body: answer.body,
    });
    return answer;
  }

  /** Puts something else next to the answers. */
  note(value: JsonValue): void {
    this.notes.push(normalised(value, this.#generated));
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

  patch(path: string, type: keyof typeof patchTypes, patch: JsonValue): Promise<Answer> {
    return this.call("PATCH", path, patch, { contentType: patchTypes[type] });
  }
}

export type Scenario = (session: Session) => Promise<void>;

let servers: { readonly kubernetes: ApiServer; readonly embedded: ApiServer } | undefined;
let scenarios = 0;
const prefix = `t${process.pid.toString(36)}`;

export function bothServers() {
  servers ??= {
    kubernetes: new ApiServer("Kubernetes", inject("kubernetesKubeconfig")),
    embedded: new ApiServer("embedded", inject("embeddedKubeconfig")),
  };
  return servers;
}

/** The scenario on both servers; what they answered, freed of identities. */
export async function onBoth(scenario: Scenario): Promise<{ readonly kubernetes: Record; readonly embedded: Record }> {
  const { kubernetes, embedded } = bothServers();
  const namespace = `${prefix}-${++scenarios}`;
  const run = async (server: ApiServer): Promise<Record> => {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    const made = await server.call("POST", "/api/v1/namespaces", body);
    if (made.status !== 201) throw new Error(`${server.name}: no namespace: ${JSON.stringify(made.body)}`);
    const session = new Session(server, namespace);
    await scenario(session);
    return session.notes;
  };
  const [first, second] = await Promise.all([run(kubernetes), run(embedded)]);
  return { kubernetes: first, embedded: second };
}

/** A test: both servers answer a scenario alike, in every status, message, warning and object. */
export function agree(name: string, scenario: Scenario): void {
  test(name, async () => {
    const { kubernetes, embedded } = await onBoth(scenario);
    expect(kubernetes.length).toBeGreaterThan(0);
    expect(differences(kubernetes as JsonValue, embedded as JsonValue)).toEqual([]);
  });
}

afterAll(() => {
  servers?.kubernetes.close();
  servers?.embedded.close();
});
