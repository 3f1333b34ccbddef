/** Any Kubernetes cluster, and the embedded one: nothing beyond what holds everywhere. */
import { evictionMarks } from "../eviction.ts";
import type { CloudProduct } from "./cloud-product.ts";

export const generic: CloudProduct = {
  name: "generic",
  validateGameServerSpec: () => [],
  validateScheduling: () => [],
  mutatePod: (pod) => pod,
  markEviction: (metadata, eviction) => {
    const marks = evictionMarks(eviction);
    return {
      ...metadata,
      labels: { ...marks.labels, ...metadata.labels },
      annotations: { ...marks.annotations, ...metadata.annotations },
    };
  },
  portsFromPod: (gameServer) => gameServer,
  waitsForFreePorts: false,
};
