/** Tests that hold one scenario against the embedded API server and a real one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import type { JsonValue } from "#api/meta/json.ts";
import { ApiServer } from "./api-server.ts";
import { differences } from "./differences.ts";
import { type Note, Session } from "./session.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly kubernetesKubeconfig: string;
    readonly embeddedKubeconfig: string;
  }
}

export type Scenario = (session: Session) => Promise<void>;

const documented = readFileSync(join(import.meta.dirname, "../../../docs/differences.md"), "utf8");
const prefix = `t${process.pid.toString(36)}`;
let servers: { readonly kubernetes: ApiServer; readonly embedded: ApiServer } | undefined;
let scenarios = 0;

/** Both servers, the real one first, and a fresh namespace that each has. */
export async function inNamespaceOfBoth() {
  servers ??= {
    kubernetes: new ApiServer("Kubernetes", inject("kubernetesKubeconfig")),
    embedded: new ApiServer("embedded", inject("embeddedKubeconfig")),
  };
  const both = [servers.kubernetes, servers.embedded] as const;
  const namespace = `${prefix}-${++scenarios}`;
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  for (const server of both) {
    const made = await server.call("POST", "/api/v1/namespaces", body);
    if (made.status !== 201) throw new Error(`${server.name}: no namespace: ${JSON.stringify(made.body)}`);
  }
  return { both, namespace };
}

/** The scenario on both servers; what they answered, freed of identities. */
async function onBoth(scenario: Scenario): Promise<readonly [kubernetes: readonly Note[], embedded: readonly Note[]]> {
  const { both, namespace } = await inNamespaceOfBoth();
  const run = async (server: ApiServer): Promise<readonly Note[]> => {
    const session = new Session(server, namespace);
    await scenario(session);
    return session.notes;
  };
  return Promise.all([run(both[0]), run(both[1])]);
}

/**
 * A test: both servers answer a scenario alike, in every status, message, warning and object. What is noted as a documented difference
 * must still be one, and its topic must stand in `docs/differences.md`.
 */
export function agree(name: string, scenario: Scenario): void {
  test(name, async () => {
    const [kubernetes, embedded] = await onBoth(scenario);
    expect(kubernetes.length).toBeGreaterThan(0);
    expect(embedded.map(({ what }) => what)).toEqual(kubernetes.map(({ what }) => what));
    const found = kubernetes.flatMap(({ what, topic, answer }, position) => {
      const differing = differences(answer as JsonValue, embedded[position]?.answer, `${position}: ${what}`);
      if (topic === undefined) return differing;
      if (!documented.includes(`| ${topic} |`)) return [`${what}: docs/differences.md has no topic "${topic}"`];
      return differing.length > 0 ? [] : [`${what}: "${topic}" is a difference no more`];
    });
    expect(found).toEqual([]);
  });
}

afterAll(() => {
  servers?.kubernetes.close();
  servers?.embedded.close();
});
