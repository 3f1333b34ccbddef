/** Keys by which clients, tools and games find their way. Where they are written, other tables say. */
import type { PromiseRow } from "../meta/promise-row.ts";
import {
  CONTAINER_ANNOTATION,
  DEV_ADDRESS_ANNOTATION,
  ERRORED_AT_ANNOTATION,
  FINALIZER,
  FLEET_LABEL,
  GAMESERVER_LABEL,
  GAMESERVERSET_LABEL,
  GRPC_PORT_ENV,
  HTTP_PORT_ENV,
  LAST_ALLOCATED_ANNOTATION,
  LEGACY_FINALIZER,
  PASSTHROUGH_ANNOTATION,
  READY_CONTAINER_ID_ANNOTATION,
  ROLE_GAMESERVER,
  ROLE_LABEL,
  SAFE_TO_EVICT_ANNOTATION,
  SAFE_TO_EVICT_LABEL,
  SDK_PREFIX,
  SDK_VERSION_ANNOTATION,
} from "./constants.ts";

interface KeyPromise extends PromiseRow {
  /** What the code has for the key that is the row's name. */
  readonly constant: string;
}

type Key = readonly [name: string, constant: string];
const keys = (section: string, ...all: readonly Key[]): readonly KeyPromise[] =>
  all.map(([name, constant]) => ({ section, name, constant }));

export const labels: readonly KeyPromise[] = keys(
  "11.1",
  ["agones.dev/role", ROLE_LABEL],
  ["gameserver", ROLE_GAMESERVER],
  ["agones.dev/gameserver", GAMESERVER_LABEL],
  ["agones.dev/gameserverset", GAMESERVERSET_LABEL],
  ["agones.dev/fleet", FLEET_LABEL],
  ["agones.dev/safe-to-evict", SAFE_TO_EVICT_LABEL],
  ["agones.dev/sdk-", SDK_PREFIX],
);

export const annotations: readonly KeyPromise[] = keys(
  "11.2",
  ["agones.dev/sdk-version", SDK_VERSION_ANNOTATION],
  ["agones.dev/container", CONTAINER_ANNOTATION],
  ["agones.dev/dev-address", DEV_ADDRESS_ANNOTATION],
  ["agones.dev/ready-container-id", READY_CONTAINER_ID_ANNOTATION],
  ["agones.dev/errored-at", ERRORED_AT_ANNOTATION],
  ["agones.dev/last-allocated", LAST_ALLOCATED_ANNOTATION],
  ["agones.dev/container-passthrough-port-assignment", PASSTHROUGH_ANNOTATION],
  ["cluster-autoscaler.kubernetes.io/safe-to-evict", SAFE_TO_EVICT_ANNOTATION],
  ["agones.dev/controller", FINALIZER],
  ["agones.dev", LEGACY_FINALIZER],
);

export const variables: readonly KeyPromise[] = keys(
  "11.3",
  ["AGONES_SDK_GRPC_PORT", GRPC_PORT_ENV],
  ["AGONES_SDK_HTTP_PORT", HTTP_PORT_ENV],
);
