import type { GameServer } from "#api/agones/gameserver.ts";
import type { Pod } from "#api/core/pod.ts";
import { failureOf } from "../gameserver/decide-health.ts";

/** What a server that is not Ready waits for, or how it ended, in words for the people who run it. `pod` is the one of its name. */
export function whyNotReady({ status }: GameServer, pod: Pod | undefined): string {
  const state = status?.state ?? "new";
  if (pod?.status?.message) return pod.status.message;
  const failure = pod?.status?.containerStatuses?.map(failureOf).find((each) => each !== undefined);
  if (failure) return failure;
  const ended = pod?.status?.containerStatuses?.find(({ state: container }) => container?.terminated)?.name;
  const must = "a game must call Ready and keep running";
  if (state === "Shutdown" && ended) return `container ${ended} exited with code 0 before it said Ready: ${must}`;
  if (state === "Shutdown") return `it was shut down before it said Ready: ${must}`;
  if (ended) return `container ${ended} exited with code 0`;
  if (state === "Error" || state === "Unhealthy") return `it is ${state}; its events say why`;
  if (!pod) return `it is ${state} and has no Pod`;
  const { phase, conditions, containerStatuses } = pod.status ?? {};
  const unschedulable = conditions?.find(({ reason }) => reason === "Unschedulable");
  if (unschedulable) return `no node takes its Pod: ${unschedulable.message ?? "the scheduler does not say why"}`;
  for (const { name, state: container } of containerStatuses ?? []) {
    const { reason, message: why } = container?.waiting ?? {};
    if (reason) return `container ${name} waits: ${reason}${why ? `: ${why}` : ""}`;
  }
  if (state === "Scheduled" && phase === "Running") return "its game runs and has not called Ready() of the SDK";
  return `it is ${state} and its Pod is ${phase ?? "new"}`;
}
