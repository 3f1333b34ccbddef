/** The products by the names that `CLOUD_PRODUCT` gives them. */
import type { Node } from "../../core/node.ts";
import type { CloudProduct, CloudProductName } from "./cloud-product.ts";
import { generic } from "./generic.ts";
import { gkeAutopilot } from "./gke-autopilot.ts";

export const CLOUD_PRODUCTS: Readonly<Record<CloudProductName, CloudProduct>> = {
  generic,
  "gke-autopilot": gkeAutopilot,
};

/** Of these mutating webhook configurations an Autopilot has one. */
export const AUTOPILOT_WEBHOOKS: readonly string[] = [
  "workload-defaulter.config.common-webhooks.networking.gke.io",
  "sasecret-redacter.config.common-webhooks.networking.gke.io",
];
/** How Autopilot's nodes are named. */
const AUTOPILOT_NODE = /^gk3-/;

/**
 * What `auto` comes to: on Google's machines the names of the cluster's mutating webhook configurations tell, or those of its nodes
 * when the former may not be read; elsewhere it is generic.
 */
export function detectCloudProduct(nodes: readonly Node[], mutatingWebhooks?: readonly string[]): CloudProductName {
  const google = nodes.filter(({ spec }) => spec?.providerID?.startsWith("gce://"));
  const autopilot = mutatingWebhooks
    ? mutatingWebhooks.some((name) => AUTOPILOT_WEBHOOKS.includes(name))
    : google.some(({ metadata }) => AUTOPILOT_NODE.test(metadata.name ?? ""));
  return google.length > 0 && autopilot ? "gke-autopilot" : "generic";
}
