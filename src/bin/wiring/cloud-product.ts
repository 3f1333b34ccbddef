import type { CloudProduct, CloudProductName } from "#api/agones/cloud-product/cloud-product.ts";
import { AUTOPILOT_WEBHOOKS, CLOUD_PRODUCTS, detectCloudProduct } from "#api/agones/cloud-product/cloud-products.ts";
import { NODES } from "#api/core/resources.ts";
import { isForbidden, isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import type { Logger } from "#runtime/logger.ts";

/** Nodes that are looked at: those of one cluster are of one provider. */
const NODES_SEEN = 100;

/** The product that a setting names; `auto` asks the cluster. Rejects when it does not answer. */
export async function cloudProduct(
  setting: CloudProductName | "auto",
  { client, log }: { readonly client: Pick<Client, "list" | "raw">; readonly log: Logger },
): Promise<CloudProduct> {
  const name = setting === "auto" ? await detected(client) : setting;
  log.info({ cloudProduct: name, detected: setting === "auto" }, "the cluster's cloud product is known");
  return CLOUD_PRODUCTS[name];
}

async function detected(client: Pick<Client, "list" | "raw">): Promise<CloudProductName> {
  const { items } = await client.list(NODES, { limit: NODES_SEEN });
  return detectCloudProduct(items, await autopilotWebhooks(client));
}

/** Those of Autopilot's configurations that the cluster has; `undefined` when we may not know. */
async function autopilotWebhooks(client: Pick<Client, "raw">): Promise<readonly string[] | undefined> {
  const found: string[] = [];
  for (const name of AUTOPILOT_WEBHOOKS) {
    try {
      await client.raw("GET", `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${name}`);
      found.push(name);
    } catch (error) {
      if (isForbidden(error)) return undefined;
      if (!isNotFound(error)) throw error;
    }
  }
  return found;
}
