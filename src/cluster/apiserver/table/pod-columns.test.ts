import { expect, test } from "vitest";
import type { ContainerStatus, Pod, PodStatus } from "#api/core/pod.ts";
import { summarizePod } from "./pod-columns.ts";

const now = Date.UTC(2030, 0, 1);
const containers = [{ name: "game" }];
const init = [{ name: "i1" }, { name: "i2" }];

const is = (state: ContainerStatus["state"], more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: "game",
  image: "i",
  imageID: "",
  ready: false,
  restartCount: 0,
  state,
  ...more,
});
const running = is({ running: {} }, { ready: true });
const ended = (exitCode: number, reason?: string) => is({ terminated: { exitCode, ...(reason && { reason }) } });

function summary(status: PodStatus, spec: Partial<Pod["spec"]> = {}, deletionTimestamp?: string): string {
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", ...(deletionTimestamp && { deletionTimestamp }) },
    spec: { containers, ...spec },
    status,
  };
  const { ready, status: shown, restarts } = summarizePod(pod, now);
  return `${ready} ${shown} ${restarts}`;
}

const withInit = { initContainers: init };
const sidecar = { initContainers: [{ name: "side", restartPolicy: "Always" as const }] };
const initialized = [{ type: "Initialized", status: "True" as const }];

test.for<[string, string, string]>([
  ["waits", summary({ phase: "Pending" }), "0/1 Pending 0"],
  ["runs", summary({ phase: "Running", containerStatuses: [running] }), "1/1 Running 0"],
  [
    "is gated",
    summary({ phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] }),
    "0/1 SchedulingGated 0",
  ],
  ["was evicted", summary({ phase: "Failed", reason: "Evicted" }), "0/1 Evicted 0"],
  [
    "cannot find its image",
    summary({ phase: "Pending", containerStatuses: [is({ waiting: { reason: "ErrImagePull" } })] }),
    "0/1 ErrImagePull 0",
  ],
  ["completed", summary({ phase: "Succeeded", containerStatuses: [ended(0, "Completed")] }), "0/1 Completed 0"],
  ["failed without a reason", summary({ phase: "Failed", containerStatuses: [ended(3)] }), "0/1 ExitCode:3 0"],
  [
    "was killed",
    summary({ phase: "Failed", containerStatuses: [is({ terminated: { exitCode: 137, signal: 9 } })] }),
    "0/1 Signal:9 0",
  ],
  [
    "crash-loops",
    summary({
      phase: "Running",
      containerStatuses: [
        is(
          { waiting: { reason: "CrashLoopBackOff" } },
          { restartCount: 4, lastState: { terminated: { exitCode: 1, finishedAt: "2029-12-31T23:58:00Z" } } },
        ),
      ],
    }),
    "0/1 CrashLoopBackOff 4 (2m ago)",
  ],
  [
    "is being deleted",
    summary({ phase: "Running", containerStatuses: [running] }, {}, "2030-01-01T00:00:00Z"),
    "1/1 Terminating 0",
  ],
  [
    "is deleted but done",
    summary({ phase: "Succeeded", containerStatuses: [ended(0, "Completed")] }, {}, "2030-01-01T00:00:00Z"),
    "0/1 Completed 0",
  ],
  ["lost its node", summary({ phase: "Running", reason: "NodeLost" }, {}, "2030-01-01T00:00:00Z"), "0/1 Unknown 0"],
  [
    "initializes",
    summary({ phase: "Pending", initContainerStatuses: [ended(0), is({ running: {} })] }, withInit),
    "0/1 Init:1/2 0",
  ],
  [
    "fails to initialize",
    summary({ phase: "Pending", initContainerStatuses: [ended(1, "Error")] }, withInit),
    "0/1 Init:Error 0",
  ],
  [
    "fails to initialize without a reason",
    summary({ phase: "Pending", initContainerStatuses: [ended(2)] }, withInit),
    "0/1 Init:ExitCode:2 0",
  ],
  [
    "waits in an init container",
    summary({ phase: "Pending", initContainerStatuses: [is({ waiting: { reason: "ImagePullBackOff" } })] }, withInit),
    "0/1 Init:ImagePullBackOff 0",
  ],
  [
    "waits for its turn",
    summary({ phase: "Pending", initContainerStatuses: [is({ waiting: { reason: "PodInitializing" } })] }, withInit),
    "0/1 Init:0/2 0",
  ],
  [
    "runs with a sidecar, whose restarts count",
    summary(
      {
        phase: "Running",
        conditions: initialized,
        initContainerStatuses: [is({ running: {} }, { name: "side", ready: true, started: true, restartCount: 2 })],
        containerStatuses: [running],
      },
      sidecar,
    ),
    "2/2 Running 2",
  ],
  [
    "forgets restarts of plain init containers once it runs",
    summary(
      {
        phase: "Running",
        conditions: initialized,
        initContainerStatuses: [is({ terminated: { exitCode: 0 } }, { name: "i1", restartCount: 3 })],
        containerStatuses: [running],
      },
      withInit,
    ),
    "1/1 Running 0",
  ],
  [
    "still runs although one container completed",
    summary(
      {
        phase: "Running",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [ended(0, "Completed"), is({ running: {} }, { name: "b", ready: true })],
      },
      { containers: [{ name: "game" }, { name: "b" }] },
    ),
    "1/2 Running 0",
  ],
])("a pod that %s is told so", ([, shown, expected]) => {
  expect(shown).toBe(expected);
});
