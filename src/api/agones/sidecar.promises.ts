/** The SDK server's container in the Pod of a GameServer called `duel.1`. */
import type { PodPromise } from "./pod.promises.ts";

const SDK = "spec.initContainers.0";

export const sdkServers: readonly PodPromise[] = [
  {
    section: "5",
    name: "the SDK server's container by default",
    shows: {
      [`${SDK}.image`]: "registry.example.net/sdk:1",
      [`${SDK}.imagePullPolicy`]: undefined,
      [`${SDK}.args`]: ["--grpc-port=9357", "--http-port=9358"],
      [`${SDK}.livenessProbe`]: { httpGet: { path: "/healthz", port: 8080 }, initialDelaySeconds: 3, periodSeconds: 3 },
      [`${SDK}.resources`]: undefined,
      [`${SDK}.securityContext`]: { allowPrivilegeEscalation: false, runAsNonRoot: true, runAsUser: 1000 },
    },
  },
  {
    section: "5",
    name: "the SDK server's container as the installation has it; amounts of nothing are none",
    sidecar: {
      alwaysPull: true,
      runAsUser: 7,
      resources: { requests: { cpu: "30m", memory: "0" }, limits: { cpu: "0", memory: "0Mi" } },
    },
    shows: {
      [`${SDK}.imagePullPolicy`]: "Always",
      [`${SDK}.resources`]: { requests: { cpu: "30m" } },
      [`${SDK}.securityContext.runAsUser`]: 7,
    },
  },
  {
    section: "11.3",
    name: "variables of the SDK server, in their order",
    spec: { sdkServer: { logLevel: "Debug" } },
    gates: { PlayerTracking: true },
    shows: {
      [`${SDK}.env`]: [
        { name: "GAMESERVER_NAME", value: "duel.1" },
        { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
        {
          name: "FEATURE_GATES",
          value:
            "AutopilotPassthroughPort=true&CountsAndLists=true&DisableResyncOnSDKServer=true&Example=false&" +
            "FleetAutoscaleRequestMetaData=true&GKEAutopilotExtendedDurationPods=true&PlayerAllocationFilter=false&" +
            "PlayerTracking=true&PortPolicyNone=true&PortRanges=true&ProcessorAllocator=false&RollingUpdateFix=true&" +
            "ScheduledAutoscaler=true&SidecarContainers=true&WasmAutoscaler=false",
        },
        { name: "LOG_LEVEL", value: "Debug" },
        { name: "REQUESTS_RATE_LIMIT", value: "500ms" },
      ],
    },
  },
];
