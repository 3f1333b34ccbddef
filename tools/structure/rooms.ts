/** The house: which room may import which. ARCHITECTURE.md tells the same; a room not listed may not exist. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  "api/meta": [],
  "api/core": ["api/meta"],
  "api/agones": ["api/meta", "api/core"],
  "api/allocation": ["api/meta", "api/core", "api/agones"],
  "api/autoscaling": ["api/meta", "api/core", "api/agones"],
  "api/multicluster": ["api/meta", "api/core", "api/agones"],
  "api/definitions": ["api/meta", "api/core", "api/agones", "api/autoscaling", "api/multicluster"],
  "api/stadion": ["api/meta", "api/core"],
  proto: [],
  runtime: ["api", "proto"],
  kube: ["api", "runtime"],
  "cluster/store": ["api/meta", "api/core", "runtime", "proto"],
  "cluster/apiserver": ["api/meta", "api/core", "runtime", "proto", "cluster/store"],
  "cluster/scheduler": ["api/meta", "api/core", "runtime", "kube"],
  "cluster/node": ["api/meta", "api/core", "runtime", "kube"],
  "cluster/gc": ["api/meta", "api/core", "runtime", "kube"],
  views: ["api", "runtime", "kube"],
  ports: ["api", "runtime", "kube"],
  controllers: ["api", "runtime", "kube", "views", "ports"],
  allocation: ["api", "runtime", "proto", "kube", "views", "ports"],
  sdkserver: ["api", "runtime", "proto", "kube", "views"],
  extensions: ["api", "runtime", "kube", "allocation"],
  ping: ["api", "runtime"],
  cli: ["api", "runtime", "kube"],
  bin: ["*"],
};

/** Files that decide are pure: they may import only `api` and each other. */
export const PURE_FILE = /(^|\/)decide-[^/]*\.ts$/;
export const PURE_IMPORTS: readonly string[] = ["api"];
