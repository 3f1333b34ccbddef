/** The container that runs the SDK server beside the game. */
import type { Container, ResourceList, ResourceRequirements } from "../core/pod.ts";
import { parseQuantity } from "../meta/quantity.ts";
import { SIDECAR_NAME } from "./constants.ts";
import { encodeFeatureGates, type FeatureGates } from "./feature-gates.ts";
import type { GameServer } from "./gameserver.ts";

export interface SidecarOptions {
  readonly image: string;
  /** Pull it at every start; otherwise the cluster's own rule holds. */
  readonly alwaysPull?: boolean;
  /** Quantities that are zero count as not given. */
  readonly resources?: ResourceRequirements;
  /** Default 1000. */
  readonly runAsUser?: number;
  /** A Go duration (`500ms`): the pause between two writes of one server. */
  readonly requestsRateLimit: string;
}

/** Port of its health endpoints `/healthz` and `/gshealthz`. */
export const SIDECAR_HEALTH_PORT = 8080;

export function buildSidecar(gameServer: GameServer, gates: FeatureGates, options: SidecarOptions): Container {
  const { grpcPort, httpPort, logLevel = "" } = gameServer.spec.sdkServer ?? {};
  const resources = nonZero(options.resources);
  return {
    name: SIDECAR_NAME,
    image: options.image,
    ...(options.alwaysPull && { imagePullPolicy: "Always" }),
    args: [...(grpcPort ? [`--grpc-port=${grpcPort}`] : []), ...(httpPort ? [`--http-port=${httpPort}`] : [])],
    env: [
      { name: "GAMESERVER_NAME", value: gameServer.metadata.name ?? "" },
      { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      { name: "FEATURE_GATES", value: encodeFeatureGates(gates) },
      { name: "LOG_LEVEL", value: logLevel },
      { name: "REQUESTS_RATE_LIMIT", value: options.requestsRateLimit },
    ],
    ...(resources && { resources }),
    livenessProbe: {
      httpGet: { path: "/healthz", port: SIDECAR_HEALTH_PORT },
      initialDelaySeconds: 3,
      periodSeconds: 3,
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      runAsNonRoot: true,
      runAsUser: options.runAsUser ?? 1000,
    },
    ...(gates.SidecarContainers && { restartPolicy: "Always" }),
  };
}

function nonZero({ limits, requests }: ResourceRequirements = {}): ResourceRequirements | undefined {
  const kept = Object.entries({ limits: withoutZeros(limits), requests: withoutZeros(requests) }).filter(
    ([, list]) => Object.keys(list).length > 0,
  );
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

const withoutZeros = (list: ResourceList = {}): ResourceList =>
  Object.fromEntries(Object.entries(list).filter(([, quantity]) => parseQuantity(quantity).nano !== 0n));
