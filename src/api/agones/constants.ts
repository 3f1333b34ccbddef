/** Keys and names of the `agones.dev` contract: labels, annotations, finalizers, container names. */
export const GROUP = "agones.dev";
export const VERSION = "v1";

export const ROLE_LABEL = "agones.dev/role";
export const ROLE_GAMESERVER = "gameserver";
export const GAMESERVER_LABEL = "agones.dev/gameserver";
export const GAMESERVERSET_LABEL = "agones.dev/gameserverset";
export const FLEET_LABEL = "agones.dev/fleet";
export const SAFE_TO_EVICT_LABEL = "agones.dev/safe-to-evict";

export const SDK_VERSION_ANNOTATION = "agones.dev/sdk-version";
export const CONTAINER_ANNOTATION = "agones.dev/container";
export const DEV_ADDRESS_ANNOTATION = "agones.dev/dev-address";
export const READY_CONTAINER_ID_ANNOTATION = "agones.dev/ready-container-id";
export const ERRORED_AT_ANNOTATION = "agones.dev/errored-at";
export const LAST_ALLOCATED_ANNOTATION = "agones.dev/last-allocated";
export const PASSTHROUGH_ANNOTATION = "agones.dev/container-passthrough-port-assignment";
export const SAFE_TO_EVICT_ANNOTATION = "cluster-autoscaler.kubernetes.io/safe-to-evict";

/** Prefix of labels and annotations that a game sets through its SDK. */
export const SDK_PREFIX = "agones.dev/sdk-";

export const FINALIZER = "agones.dev/controller";
export const LEGACY_FINALIZER = "agones.dev";

export const SIDECAR_NAME = "agones-gameserver-sidecar";
export const GRPC_PORT_ENV = "AGONES_SDK_GRPC_PORT";
export const HTTP_PORT_ENV = "AGONES_SDK_HTTP_PORT";

/** Most values a list may hold, unless the installation says otherwise. */
export const LIST_MAX_ITEMS = 1000;
