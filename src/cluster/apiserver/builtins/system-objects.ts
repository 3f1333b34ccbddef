/** What every cluster has from its first start on. */
import { isAlreadyExists } from "#api/meta/status.ts";
import type { ServerContext } from "../serve/server-context.ts";
import { createObject } from "../write/create.ts";
import { SYSTEM_NAMESPACES } from "./namespaces.ts";

const SERVER = { username: "system:apiserver", groups: ["system:masters"] };

/** Makes the namespaces of Kubernetes and the Service that stands for the API, where they are missing. */
export async function makeSystemObjects(context: ServerContext): Promise<void> {
  await Promise.all(SYSTEM_NAMESPACES.map((name) => make(context, "namespaces", undefined, { metadata: { name } })));
  await make(context, "services", "default", {
    metadata: { name: "kubernetes", labels: { component: "apiserver", provider: "kubernetes" } },
    spec: { type: "ClusterIP", ports: [{ name: "https", port: 443, targetPort: 443, protocol: "TCP" }] },
  });
}

async function make(
  context: ServerContext,
  plural: string,
  namespace: string | undefined,
  body: Readonly<Record<string, object>>,
): Promise<void> {
  const resource = context.registry.find("", "v1", plural);
  if (!resource) throw new Error(`${plural} are not served`);
  try {
    await createObject(context, {
      resource,
      namespace,
      body: body as never,
      duplicates: [],
      options: { dryRun: false, fieldValidation: "Strict" },
      user: SERVER,
      warnings: new Set(),
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
