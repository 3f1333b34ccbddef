/** What a cluster has from its first start on. */
import { semanticEqual } from "#api/meta/equality.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { isAlreadyExists, StatusError } from "#api/meta/status.ts";
import type { Logger } from "#runtime/logger.ts";
import { metaOf, objectAt } from "../resources/object-fields.ts";
import { keyOf, type ServedResource } from "../resources/served-resource.ts";
import type { ServerContext } from "../serve/server-context.ts";
import { type Creation, createObject } from "../write/create.ts";
import { updateObject } from "../write/update.ts";
import { SYSTEM_NAMESPACES } from "./namespaces.ts";

const SERVER = { username: "system:apiserver", groups: ["system:masters"] };
const OPTIONS = { dryRun: false, fieldValidation: "Strict" } as const;

/** Makes the namespaces of Kubernetes and the Service that stands for the API, where they are missing. */
export async function makeSystemObjects(context: ServerContext): Promise<void> {
  const namespaces = servedAt(context, "", "namespaces");
  await Promise.all(SYSTEM_NAMESPACES.map((name) => make(context, namespaces, { metadata: { name } })));
  await make(
    context,
    servedAt(context, "", "services"),
    {
      metadata: { name: "kubernetes", labels: { component: "apiserver", provider: "kubernetes" } },
      spec: { type: "ClusterIP", ports: [{ name: "https", port: 443, targetPort: 443, protocol: "TCP" }] },
    },
    { namespace: "default" },
  );
}

/**
 * Makes the cluster hold `definitions`, of which it knows that they are valid, as they are; what is stored of them is brought up to date.
 * One that somebody has changed so that it cannot be is left as it is, and said so: without the API nobody could mend it.
 */
export async function makeDefinitions(
  context: ServerContext,
  definitions: readonly JsonObject[],
  log: Logger,
): Promise<void> {
  const resource = servedAt(context, "apiextensions.k8s.io", "customresourcedefinitions");
  await Promise.all(
    definitions.map(async (wanted) => {
      const spec = objectAt(wanted, "spec");
      const { name = "" } = metaOf(wanted);
      const brought = (stored: JsonObject): JsonObject => ({
        ...stored,
        spec: { ...objectAt(stored, "spec"), ...spec },
      });
      const stored = context.objects.get(resource.collection, keyOf(undefined, name))?.object;
      if (!stored) await make(context, resource, wanted, { valid: true });
      else if (metaOf(stored).deletionTimestamp)
        log.warn({ definition: name }, "a definition is being deleted: the next start makes it again");
      else if (!semanticEqual(brought(stored), stored))
        await updateObject(context, {
          resource,
          name,
          half: "main",
          options: OPTIONS,
          propose: brought,
          policy: { validation: "Strict", warnings: new Set() },
          whole: true,
          user: SERVER,
          warnings: new Set(),
        }).catch((error: unknown) => {
          if (!(error instanceof StatusError)) throw error;
          log.error(
            { definition: name, error },
            "a definition cannot be brought up to date, and stays as it is stored",
          );
        });
    }),
  );
}

function servedAt({ registry }: ServerContext, group: string, plural: string): ServedResource {
  const resource = registry.find(group, "v1", plural);
  if (!resource) throw new Error(`${plural} are not served`);
  return resource;
}

async function make(
  context: ServerContext,
  resource: ServedResource,
  body: JsonObject,
  further: Pick<Creation, "namespace" | "valid"> = {},
): Promise<void> {
  try {
    await createObject(context, {
      ...further,
      resource,
      body,
      duplicates: [],
      options: OPTIONS,
      user: SERVER,
      warnings: new Set(),
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
