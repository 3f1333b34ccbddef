/** The products by the names that `CLOUD_PRODUCT` gives them. */
import type { CloudProduct, CloudProductName } from "./cloud-product.ts";
import { generic } from "./generic.ts";
import { gkeAutopilot } from "./gke-autopilot.ts";

export const CLOUD_PRODUCTS: Readonly<Record<CloudProductName, CloudProduct>> = {
  generic,
  "gke-autopilot": gkeAutopilot,
};

/** Of these mutating webhook configurations an Autopilot has one. */
const AUTOPILOT_WEBHOOKS: readonly string[] = [
  "workload-defaulter.config.common-webhooks.networking.gke.io",
  "sasecret-redacter.config.common-webhooks.networking.gke.io",
];

/** What `auto` comes to: on Google's machines the cluster's mutating webhook configurations tell, elsewhere it is generic. */
export function detectCloudProduct(onGoogle: boolean, mutatingWebhooks: readonly string[]): CloudProductName {
  return onGoogle && mutatingWebhooks.some((name) => AUTOPILOT_WEBHOOKS.includes(name)) ? "gke-autopilot" : "generic";
}
