/** The rhythm of a container's probes and what their results mean (core/v1 Probe, with its defaults). */
import type { Container, Probe } from "#api/core/pod.ts";
import type { Clock } from "#runtime/clock.ts";

export interface ProbeResult {
  readonly ok: boolean;
  /** Why not. */
  readonly message: string;
}

export type ProbeKind = "Startup" | "Liveness" | "Readiness";

export interface ProbeListener {
  started(): void;
  ready(ready: boolean): void;
  /** The container is to be ended, and restarted if its policy says so. */
  failed(kind: ProbeKind): void;
  /** Each single failure. */
  unhealthy(kind: ProbeKind, message: string): void;
}

export interface ProbeOptions {
  readonly container: Container;
  /** Milliseconds since 1970; `initialDelaySeconds` counts from here, so it is not waited for again after a new start of the agent. */
  readonly startedAt: number;
  readonly clock: Clock;
  /** One attempt. May not reject. */
  readonly attempt: (probe: Probe) => Promise<ProbeResult>;
  readonly listener: ProbeListener;
}

/** Liveness and readiness begin when the startup probe, if there is one, has succeeded. The returned function ends all. */
export function startProbes(options: ProbeOptions): () => void {
  const { container, listener } = options;
  const running: (() => void)[] = [];
  const begin = (kind: ProbeKind, probe: Probe | undefined, heard: (ok: boolean) => boolean) => {
    if (probe) running.push(repeat(probe, options, kind, heard));
  };
  const afterStartup = () => {
    begin("Liveness", container.livenessProbe, (ok) => {
      if (!ok) listener.failed("Liveness");
      return ok;
    });
    begin("Readiness", container.readinessProbe, (ok) => {
      listener.ready(ok);
      return true;
    });
  };
  if (container.startupProbe) {
    begin("Startup", container.startupProbe, (ok) => {
      if (ok) {
        listener.started();
        afterStartup();
      } else listener.failed("Startup");
      return false;
    });
  } else afterStartup();
  return () => {
    for (const stop of running) stop();
  };
}

/** Tries again and again; `heard` is told when enough results agree, and says whether to go on. */
function repeat(
  probe: Probe,
  { clock, startedAt, attempt, listener }: ProbeOptions,
  kind: ProbeKind,
  heard: (ok: boolean) => boolean,
): () => void {
  const { initialDelaySeconds = 0, periodSeconds = 10, successThreshold = 1, failureThreshold = 3 } = probe;
  let stopped = false;
  let streak = 0;
  let streakOk: boolean | undefined;
  let cancel = () => {};

  const tick = async (): Promise<void> => {
    const { ok, message } = await attempt(probe);
    if (stopped) return;
    if (!ok) listener.unhealthy(kind, message);
    streak = ok === streakOk ? streak + 1 : 1;
    streakOk = ok;
    if (streak >= (ok ? successThreshold : failureThreshold)) stopped = !heard(ok);
    if (!stopped) next(Math.max(1, periodSeconds) * 1000);
  };
  const next = (ms: number) => {
    cancel = clock.after(ms, () => void tick());
  };
  next(Math.max(0, startedAt + initialDelaySeconds * 1000 - clock.now()));
  return () => {
    stopped = true;
    cancel();
  };
}
