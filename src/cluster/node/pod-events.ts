/** The few Events that a node writes about its pods, with the reasons that the kubelet gives them. */
import type { EventType } from "#api/core/event.ts";
import type { Pod } from "#api/core/pod.ts";
import type { EventRecorder } from "#kube/event-recorder.ts";

type Write = (pod: Pod, message: string) => void;

export interface PodEvents {
  readonly started: Write;
  /** A container could not be started, or ended badly by itself. */
  readonly failed: Write;
  readonly backOff: Write;
  readonly killing: Write;
  readonly unhealthy: Write;
  /** A container asks for something that this node cannot give. */
  readonly notSupported: Write;
  /** Entries under `envFrom` that are no names of variables. */
  readonly skippedVariables: Write;
}

export function createPodEvents(recorder: EventRecorder): PodEvents {
  const write =
    (type: EventType, reason: string): Write =>
    (pod, message) =>
      recorder.event(pod, type, reason, message);
  return {
    started: write("Normal", "Started"),
    failed: write("Warning", "Failed"),
    backOff: write("Warning", "BackOff"),
    killing: write("Normal", "Killing"),
    unhealthy: write("Warning", "Unhealthy"),
    notSupported: write("Warning", "NotSupported"),
    skippedVariables: write("Warning", "InvalidEnvironmentVariableNames"),
  };
}
