/** The containers of one pod: what is known about each, what lives of it, and its probes. Decides nothing. */
import { isHealthPaused } from "#api/core/health-pause.ts";
import type { Container, Pod, Probe } from "#api/core/pod.ts";
import type { Clock } from "#runtime/clock.ts";
import type { ContainerEnd, ContainerRuntime, LiveContainer, StartResult } from "./container-runtime.ts";
import { containersOf, isLive } from "./decide-pod.ts";
import { type ContainerState, type ContainerView, nextBackoff, refusalBackoff } from "./decide-restart.ts";
import type { PodEvents } from "./pod-events.ts";
import type { PodAddresses } from "./pod-status.ts";
import type { ProbeTarget } from "./probe-attempt.ts";
import { type ProbeResult, startProbes } from "./probes.ts";
import { initialViews, type RecoveredPod } from "./recover-pod.ts";
import { unsupportedParts } from "./unsupported.ts";

export interface PodContainersOptions {
  /** Runs every container that has no handler of its own. */
  readonly runtime: ContainerRuntime;
  /** By container name. */
  readonly handlers: ReadonlyMap<string, ContainerRuntime>;
  readonly addresses: PodAddresses;
  /** Absent: no probe is ever tried, and whatever runs counts as healthy. */
  readonly attempt?: (probe: Probe, target: ProbeTarget) => Promise<ProbeResult>;
  readonly events: PodEvents;
  readonly clock: Clock;
  /** The newest version of the pod. */
  readonly pod: () => Pod;
  /** Something about a container changed. */
  readonly changed: () => void;
  /** Resolves once what is known now will be found by a later agent. */
  readonly save: () => Promise<void>;
}

/** What a probe of a paused pod finds. */
const PAUSED: ProbeResult = { ok: true, message: "" };

type Running = Extract<ContainerState, { kind: "running" }>;

export class PodContainers {
  readonly #options: PodContainersOptions;
  readonly #specs: ReadonlyMap<string, Container>;
  readonly #views: Map<string, ContainerView>;
  readonly #live = new Map<string, LiveContainer>();
  readonly #endProbes = new Map<string, () => void>();
  readonly handlerNames: ReadonlySet<string>;
  #detached = false;

  constructor(options: PodContainersOptions) {
    const pod = options.pod();
    this.#options = options;
    this.#views = initialViews(pod);
    this.#specs = new Map(containersOf(pod).map((container) => [container.name, container]));
    this.handlerNames = new Set([...this.#specs.keys()].filter((name) => options.handlers.has(name)));
  }

  get views(): ReadonlyMap<string, ContainerView> {
    return this.#views;
  }

  /** A container that is a process, or becomes one, lives. */
  get hasLiveProcess(): boolean {
    return [...this.#views].some(([name, view]) => isLive(view) && !this.handlerNames.has(name));
  }

  get isStarting(): boolean {
    return [...this.#views.values()].some(({ state }) => state.kind === "starting");
  }

  pidOf(name: string): number | undefined {
    return this.#live.get(name)?.pid?.();
  }

  runtimeOf(name: string): ContainerRuntime {
    return this.#options.handlers.get(name) ?? this.#options.runtime;
  }

  /** Takes over what an earlier agent left. */
  adopt({ views, live }: Pick<RecoveredPod, "views" | "live">): void {
    for (const [name, view] of views) this.#views.set(name, view);
    for (const [name, container] of live) this.#watch(name, container);
  }

  start(name: string): void {
    const container = this.#specs.get(name);
    const view = this.#views.get(name);
    if (!container || !view || isLive(view)) return;
    const restart = view.state.kind === "ended" && {
      restartCount: view.restartCount + 1,
      last: view.state.end,
      backoffMs: nextBackoff(view),
    };
    const attempts = view.state.kind === "waiting" ? view.state.attempts : 0;
    const since = view.resumesFrom ?? this.#options.clock.now();
    this.#set(name, { state: { kind: "starting", since }, ...restart });
    void this.#startContainer(container, attempts, since);
  }

  async #startContainer(container: Container, attempts: number, since: number): Promise<void> {
    const { name } = container;
    const { events, pod, save } = this.#options;
    const run = this.#views.get(name)?.restartCount ?? 0;
    let result: StartResult;
    try {
      // A handler ends with its agent: there will be nothing to look for.
      if (!this.handlerNames.has(name)) await save();
      result = await this.runtimeOf(name).start({
        pod: pod(),
        container,
        run,
        environment: this.#handlerEnvironment(),
      });
    } catch (error) {
      result = { kind: "waiting", reason: "CreateContainerError", message: (error as Error).message };
    }
    if (result.kind === "running") {
      this.#started(container, result.container, since);
    } else if (result.kind === "ended") {
      this.#ended(name, result.end, undefined);
    } else {
      this.#refused(name, result.reason, result.message, attempts + 1);
      if (attempts === 0) events.failed(pod(), `Error starting container ${name}: ${result.message}`);
      if (attempts === 1) events.backOff(pod(), `Back-off starting container ${name}: ${result.message}`);
    }
    this.#options.changed();
  }

  #refused(name: string, reason: string, message: string, attempts: number): void {
    const shown = reason === "ErrImagePull" && attempts > 1 ? "ImagePullBackOff" : reason;
    const retryAt = this.#options.clock.now() + refusalBackoff(attempts);
    this.#set(name, { state: { kind: "waiting", reason: shown, message, attempts, retryAt } });
  }

  /** Images stand for other commands now: what waits for one is due at once. */
  retryImages(): void {
    for (const [name, { state }] of this.#views) {
      if (state.kind === "waiting" && /^(ErrImagePull|ImagePullBackOff)$/.test(state.reason))
        this.#set(name, { state: { ...state, retryAt: 0 } });
    }
  }

  #started(container: Container, live: LiveContainer, startedAt: number): void {
    const { name, startupProbe, readinessProbe } = container;
    const { attempt, events, pod } = this.#options;
    const { resumesFrom: _, ...view } = this.#views.get(name) ?? { restartCount: 0 };
    this.#views.set(name, {
      ...view,
      state: {
        kind: "running",
        containerID: live.id,
        startedAt,
        started: !attempt || startupProbe === undefined,
        ready: !attempt || readinessProbe === undefined,
        failed: false,
      },
    });
    this.#watch(name, live);
    if (this.handlerNames.has(name)) return;
    events.started(pod(), `Started container ${name}`);
    const missing = unsupportedParts(container);
    if (missing.length > 0) events.notSupported(pod(), `Container ${name} does without ${missing.join(", ")}`);
  }

  /** From now on its end is noticed and its probes run. */
  #watch(name: string, container: LiveContainer): void {
    this.#live.set(name, container);
    if (this.#detached) {
      if (this.handlerNames.has(name)) container.stop();
      return;
    }
    void container.ended.then((end) => {
      if (this.#detached || this.#live.get(name) !== container) return;
      this.#ended(name, end, container.id);
      this.#options.changed();
    });
    // Handlers answer the probes of others: of processes that outlived an agent nobody is asked before they are back.
    if ([...this.handlerNames].every((each) => this.#live.has(each)))
      for (const each of this.#live.keys()) this.#startProbes(each);
    else if (this.handlerNames.has(name)) this.#startProbes(name);
  }

  #startProbes(name: string): void {
    const { attempt, clock, events, pod } = this.#options;
    const spec = this.#specs.get(name);
    const state = this.#views.get(name)?.state;
    if (!attempt || !spec || state?.kind !== "running" || this.#endProbes.has(name)) return;
    const stop = startProbes({
      container: spec,
      startedAt: state.startedAt,
      clock,
      attempt: async (probe) => (isHealthPaused(pod(), clock.now()) ? PAUSED : attempt(probe, this.#target(spec))),
      listener: {
        started: () => this.#probed(name, { started: true }),
        ready: (ready) => this.#probed(name, { ready }),
        failed: () => this.#probed(name, { failed: true }),
        unhealthy: (kind, message) => events.unhealthy(pod(), `${kind} probe of container ${name} failed: ${message}`),
      },
    });
    this.#endProbes.set(name, stop);
  }

  #target(container: Container): ProbeTarget {
    const { addresses, clock } = this.#options;
    const handlers: ProbeTarget["handlers"] = [...this.#specs.values()].flatMap((candidate) => {
      const live = this.#live.get(candidate.name);
      return live?.probe ? [{ container: candidate, live }] : [];
    });
    return { container, handlers, address: addresses.podIPs[0] ?? addresses.hostIP, clock };
  }

  #probed(name: string, change: Partial<Running>): void {
    const state = this.#views.get(name)?.state;
    if (state?.kind !== "running") return;
    this.#set(name, { state: { ...state, ...change } });
    this.#options.changed();
  }

  #ended(name: string, end: ContainerEnd, containerID: string | undefined): void {
    const state = this.#views.get(name)?.state;
    const running = state?.kind === "running" ? state : undefined;
    this.#endProbes.get(name)?.();
    this.#endProbes.delete(name);
    this.#live.delete(name);
    this.#set(name, { state: { kind: "ended", end: { ...end, containerID, startedAt: running?.startedAt } } });
    if (end.exitCode !== 0 && !running?.stopping) {
      const { events, pod } = this.#options;
      const why = end.message ? `: ${end.message}` : "";
      events.failed(pod(), `Container ${name} ended with exit code ${end.exitCode}${why}`);
    }
    void this.#options.save();
  }

  /** Asks a container to end, once. */
  stop(name: string, graceMs: number): void {
    const { clock, events, pod } = this.#options;
    const state = this.#views.get(name)?.state;
    if (state?.kind !== "running" || state.stopping) return;
    this.#set(name, { state: { ...state, stopping: { since: clock.now(), graceMs, killed: false } } });
    const why = state.failed ? `Container ${name} failed its probe: stopping it` : `Stopping container ${name}`;
    if (!this.handlerNames.has(name)) events.killing(pod(), why);
    this.#live.get(name)?.stop();
  }

  kill(name: string): void {
    const state = this.#views.get(name)?.state;
    if (state?.kind !== "running") return;
    const since = this.#options.clock.now();
    this.#set(name, { state: { ...state, stopping: { since, graceMs: 0, ...state.stopping, killed: true } } });
    this.#live.get(name)?.kill();
  }

  /** Stops looking after them. Handlers end, for they live in the agent; processes go on, those about to start included. */
  async detach(): Promise<void> {
    this.#detached = true;
    for (const end of this.#endProbes.values()) end();
    const handlers = [...this.handlerNames].flatMap((name) => this.#live.get(name) ?? []);
    for (const handler of handlers) handler.stop();
    await Promise.all(handlers.map(({ ended }) => ended));
  }

  #handlerEnvironment(): Readonly<Record<string, string>> {
    return Object.assign({}, ...[...this.handlerNames].map((name) => this.#live.get(name)?.environment));
  }

  #set(name: string, change: Partial<ContainerView>): void {
    const view = this.#views.get(name);
    if (view) this.#views.set(name, { ...view, ...change });
  }
}
