import type { JsonObject } from "#api/meta/json.ts";

/** The Kubernetes whose API this is; clients of one minor version around it feel at home. */
const KUBERNETES = { major: "1", minor: "33" };

/** `/version`. `version`: Stadion's own. */
export function versionInfo(version: string): JsonObject {
  return {
    ...KUBERNETES,
    gitVersion: `v${KUBERNETES.major}.${KUBERNETES.minor}.0+stadion.${version}`,
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "node",
    platform: `${process.platform}/${process.arch}`,
  };
}
