/** Keys by which clients, tools and games find their way. Where they are written, other tables say. */
import type { PromiseRow } from "../meta/promise-row.ts";
import type * as constants from "./constants.ts";

interface KeyPromise extends PromiseRow {
  readonly constant: keyof typeof constants;
}

const keys = (section: string, values: Partial<Record<keyof typeof constants, string>>): readonly KeyPromise[] =>
  Object.entries(values).map(([constant, name]) => ({ section, name, constant: constant as KeyPromise["constant"] }));

export const labels: readonly KeyPromise[] = keys("11.1", {
  ROLE_LABEL: "agones.dev/role",
  ROLE_GAMESERVER: "gameserver",
  GAMESERVER_LABEL: "agones.dev/gameserver",
  GAMESERVERSET_LABEL: "agones.dev/gameserverset",
  FLEET_LABEL: "agones.dev/fleet",
  SAFE_TO_EVICT_LABEL: "agones.dev/safe-to-evict",
  SDK_PREFIX: "agones.dev/sdk-",
});

export const annotations: readonly KeyPromise[] = keys("11.2", {
  SDK_VERSION_ANNOTATION: "agones.dev/sdk-version",
  CONTAINER_ANNOTATION: "agones.dev/container",
  DEV_ADDRESS_ANNOTATION: "agones.dev/dev-address",
  READY_CONTAINER_ID_ANNOTATION: "agones.dev/ready-container-id",
  ERRORED_AT_ANNOTATION: "agones.dev/errored-at",
  LAST_ALLOCATED_ANNOTATION: "agones.dev/last-allocated",
  PASSTHROUGH_ANNOTATION: "agones.dev/container-passthrough-port-assignment",
  SAFE_TO_EVICT_ANNOTATION: "cluster-autoscaler.kubernetes.io/safe-to-evict",
  FINALIZER: "agones.dev/controller",
  LEGACY_FINALIZER: "agones.dev",
});

export const variables: readonly KeyPromise[] = keys("11.3", {
  GRPC_PORT_ENV: "AGONES_SDK_GRPC_PORT",
  HTTP_PORT_ENV: "AGONES_SDK_HTTP_PORT",
});
