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
/** The real API server first. */
export type Both = readonly [kubernetes: ApiServer, embedded: ApiServer];
let servers: Both | undefined;
let scenarios = 0;

/** Those that all test files share, with what an installation is by default. */
function shared(): Both {
  servers ??= [
    new ApiServer("Kubernetes", inject("kubernetesKubeconfig")),
    new ApiServer("embedded", inject("embeddedKubeconfig")),
  ];
  return servers;
}

/** Both servers, and a fresh namespace that each has. */
export async function inNamespaceOfBoth(both: Both = shared()) {
  const namespace = `${prefix}-${++scenarios}`;
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  for (const server of both) {
    const made = await server.call("POST", "/api/v1/namespaces", body);
    if (made.status !== 201) throw new Error(`${server.name}: no namespace: ${JSON.stringify(made.body)}`);
  }
  return { both, namespace };
}

/** The scenario on both servers; what they answered, freed of identities. */
async function onBoth(
  scenario: Scenario,
  servers: Both,
): Promise<readonly [kubernetes: readonly Note[], embedded: readonly Note[]]> {
  const { both, namespace } = await inNamespaceOfBoth(servers);
  const run = async (server: ApiServer): Promise<readonly Note[]> => {
    const session = new Session(server, namespace);
    await scenario(session);
    return session.notes;
  };
  return Promise.all([run(both[0]), run(both[1])]);
}

/**
 * A test: both servers answer a scenario alike, in every status, message, warning and object. What is noted as a documented difference
 * must still be one, and its topic must stand in `docs/differences.md`. `both` are asked for when the test runs.
 */
export function agree(name: string, scenario: Scenario, both: () => Both = shared): void {
  test(name, async () => {
    const [kubernetes, embedded] = await onBoth(scenario, both());
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
  for (const server of servers ?? []) server.close();
});
