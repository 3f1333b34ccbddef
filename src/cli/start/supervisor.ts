import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "#runtime/clock.ts";
import { aborted } from "#runtime/runnable.ts";
import { type AgentIdentity, type AgentPort, isSilent } from "../agent.ts";
import { CliError } from "../errors.ts";
import type { Terminal } from "../output.ts";
import { Child } from "./child.ts";
import type { ControlPlaneMessage } from "./control-plane-message.ts";
import type { DataFolder } from "./data-folder.ts";
import type { ExampleFleet } from "./example-fleet.ts";
import { lastWords } from "./last-words.ts";

/** How long the parts get to end by themselves. */
const CONTROL_PLANE_GRACE_MS = 10_000;
/** Longer than the default grace period of a pod, which is 30 s. */
const AGENT_GRACE_MS = 45_000;
const ADOPTED_POLL_MS = 1_000;
const SILENT_POLL_MS = 500;
/** How often an agent that runs is asked whether it answers, and how long it may not: then another takes over its game servers. */
const ASK_EVERY_MS = 5_000;
const LONGEST_SILENCE_MS = 30_000;
/** How long an agent that has just been started gets to know its game servers, so that it can end them. */
const AGENT_START_MS = 10_000;

export interface SupervisorOptions {
  readonly folder: DataFolder;
  /** Entry files of the two processes, with their arguments. `apiPort` is 0 at most at the first start of the control plane. */
  readonly controlPlane: (apiPort: number) => readonly string[];
  /** 0: the system chooses, and later starts of the control plane keep the choice. */
  readonly apiPort: number;
  readonly nodeAgent: readonly string[];
  /** The node agent of the folder, whoever started it. */
  readonly agent: AgentPort;
  /** Of this program; an agent of another version or build, or with other arguments, is replaced: its game servers stay. */
  readonly version: string;
  readonly agentBuild: string;
  readonly env: NodeJS.ProcessEnv;
  /** Called when the fleet of the quick start is there. */
  readonly onMade: () => void;
  /** Called when a later control plane serves: its certificate and its token may be new. */
  readonly onServesAgain: (address: string) => void;
  readonly terminal: Terminal;
  readonly clock: Clock;
}

/**
 * Keeps the two processes of a cluster running: the control plane, which ends with the supervisor, and the node agent, which
 * outlives it and is found again by its socket.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #ready = Promise.withResolvers<string>();
  readonly #started = Promise.withResolvers<ExampleFleet | undefined>();
  readonly #controlPlane: Child;
  readonly #nodeAgent: Child;
  readonly #ended = new AbortController();
  #apiPort: number;
  #serves = false;
  /** Of the start: what a control plane says after it is of no interest. */
  #interrupted: AbortSignal | undefined;
  /** The agent that was heard last, whoever started it. */
  #agentPid: number | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { folder, env, clock } = options;
    this.#apiPort = options.apiPort;
    const child = (name: string, args: () => readonly string[], onMessage?: (message: unknown) => void) =>
      new Child({
        args,
        env,
        clock,
        logFile: join(folder.logs, `${name}.log`),
        ...(onMessage && { onMessage }),
        onExit: (how, delayMs) => this.#report(name, how, delayMs),
      });
    this.#controlPlane = child(
      "control-plane",
      () => options.controlPlane(this.#apiPort),
      (message) => this.#hear(message as ControlPlaneMessage),
    );
    this.#nodeAgent = child("node-agent", () => options.nodeAgent);
    for (const { promise } of [this.#ready, this.#started]) promise.catch(() => {});
  }

  /**
   * Starts both, adopting an agent that runs already. Resolves with the API's address, or with `undefined` when the signal aborts
   * before it is known. Rejects when the control plane refuses to serve: then game servers and agents that ran before go on.
   */
  async start(signal: AbortSignal): Promise<string | undefined> {
    this.#interrupted = signal;
    this.#controlPlane.start();
    await this.#findAgent(signal);
    void this.#watchSilence();
    try {
      return await Promise.race([this.#ready.promise, aborted(signal).then(() => undefined)]);
    } catch (error) {
      await this.#withdraw();
      throw error;
    }
  }

  /** Adopts the agent that runs, or starts one. One that says nothing is waited for: a second beside it would find no socket. */
  async #findAgent(signal: AbortSignal): Promise<void> {
    const { agent, clock, terminal } = this.#options;
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        const running = await Promise.race([agent.identity(), aborted(signal).then(() => undefined)]);
        if (!signal.aborted) await this.#takeOn(running);
        return;
      } catch (error) {
        if (!isSilent(error)) throw error;
        if (tries === 1)
          terminal.err(
            "The node agent that runs does not answer. Waiting for it; to have another start, end its process.",
          );
        await clock.sleep(SILENT_POLL_MS, signal).catch(() => {});
      }
    }
  }

  async #takeOn(running: AgentIdentity | undefined): Promise<void> {
    const odd = running && this.#oddityOf(running);
    if (running && odd === undefined) {
      this.#options.terminal.err(`Adopted the node agent that was running (process ${running.pid}).`);
      this.#agentPid = running.pid;
      void this.#watchAdopted(running.pid);
      return;
    }
    if (running) await this.#replaceAgent(running.pid, odd);
    this.#nodeAgent.start();
  }

  /**
   * Resolves once the node agent knows its game servers, those included that ran before, and those of the quick start are Ready, with a
   * fleet to show commands with; with `undefined` when there is none, or the signal aborts. Rejects when the quick start fails.
   */
  async started(signal: AbortSignal): Promise<ExampleFleet | undefined> {
    return Promise.race([this.#started.promise, aborted(signal).then(() => undefined)]);
  }

  /**
   * Stops in order: first what decides, then what runs. With `keep`, game servers and their agent go on. Once `hurried`, the agent is
   * told at once: game servers end though nobody waits for them.
   */
  async stop(keep: boolean, hurried: AbortSignal): Promise<void> {
    const { agent, terminal } = this.#options;
    this.#ended.abort();
    void aborted(hurried).then(() => {
      terminal.err(keep ? "Not waiting." : "Not waiting: the game servers end by themselves, within seconds.");
      if (!keep) agent.stop("none").catch(() => {});
    });
    try {
      if (!keep && this.#serves) await this.#readyToStop();
      await this.#controlPlane.stop(CONTROL_PLANE_GRACE_MS);
      this.#nodeAgent.abandon();
      if (keep) return;
      await this.#stopAgent("none");
      await this.#nodeAgent.stop(AGENT_GRACE_MS);
    } finally {
      this.#options.folder.release();
    }
  }

  async #withdraw(): Promise<void> {
    this.#ended.abort();
    try {
      await this.#controlPlane.stop(CONTROL_PLANE_GRACE_MS);
      await this.#nodeAgent.stop(AGENT_GRACE_MS);
    } finally {
      this.#options.folder.release();
    }
  }

  /** Game servers are ended by the agent, which learns from the control plane what they are: for that, both have to run. */
  async #readyToStop(): Promise<void> {
    const { agent } = this.#options;
    this.#controlPlane.wake();
    try {
      if (!(await agent.identity())) this.#nodeAgent.wake();
    } catch (error) {
      if (isSilent(error)) return;
      throw error;
    }
    await this.#until(() => this.#isAgentReady(), AGENT_START_MS);
  }

  #hear(message: ControlPlaneMessage): void {
    switch (message.type) {
      case "ready":
        this.#apiPort = Number(new URL(message.address).port);
        if (this.#serves) this.#options.onServesAgain(message.address);
        this.#serves = true;
        this.#ready.resolve(message.address);
        break;
      case "refused":
        // What has served before is tried again as after a crash, for as long as it takes: who has its port may let go of it.
        if (this.#serves) break;
        this.#controlPlane.abandon();
        this.#ready.reject(new CliError("Usage", message.message));
        break;
      case "made":
        this.#options.onMade();
        break;
      case "said":
        if (!this.#interrupted?.aborted) this.#options.terminal.err(message.line);
        break;
      case "started":
        this.#started.resolve(message.example);
        break;
      case "failed":
        this.#started.reject(new CliError(message.code, message.message));
        break;
    }
  }

  #report(name: string, how: string, delayMs: number): void {
    const { terminal, folder } = this.#options;
    const log = join(folder.logs, `${name}.log`);
    terminal.err(
      `The ${name.replace("-", " ")} ended (${how}) and is started again in ${delayMs / 1000} s; its log is ${log}.`,
    );
    // Who was killed had no time to say why.
    if (!how.startsWith("signal SIGKILL")) for (const line of lastWords(log)) terminal.err(`  ${line}`);
  }

  /** False, too, while it cannot be asked. */
  async #isAgentReady(): Promise<boolean> {
    const identity = await this.#options.agent.identity().catch(() => undefined);
    return identity?.ready === true;
  }

  /** An adopted agent is nobody's child. One that only cannot be asked, such as for a socket that was taken away, has not ended. */
  async #watchAdopted(pid: number): Promise<void> {
    const { clock, terminal, agent } = this.#options;
    for (;;) {
      await clock.sleep(ADOPTED_POLL_MS, this.#ended.signal).catch(() => {});
      if (this.#ended.signal.aborted) return;
      if (isAlive(pid) || (await agent.identity().catch(() => undefined))) continue;
      terminal.err("The node agent ended and is started again.");
      this.#nodeAgent.start();
      return;
    }
  }

  /** Ends an agent that hangs: it is started again as after any other end, and its game servers go on. */
  async #watchSilence(): Promise<void> {
    const { clock, terminal, agent } = this.#options;
    let since: number | undefined;
    for (;;) {
      await clock.sleep(ASK_EVERY_MS, this.#ended.signal).catch(() => {});
      if (this.#ended.signal.aborted) return;
      try {
        this.#agentPid = (await agent.identity())?.pid;
        since = undefined;
      } catch (error) {
        const pid = this.#nodeAgent.pid ?? this.#agentPid;
        if (isSilent(error)) since ??= clock.monotonic();
        if (pid !== undefined && since !== undefined && clock.monotonic() - since >= LONGEST_SILENCE_MS) {
          if (this.#ended.signal.aborted) return;
          terminal.err(
            `The node agent (process ${pid}) does not answer any more and is ended; its game servers go on.`,
          );
          kill(pid);
          this.#agentPid = undefined;
          since = undefined;
        }
      }
    }
  }

  /** Why an agent that runs is not the one that is wanted. */
  #oddityOf({ version, build, settings }: AgentIdentity): string | undefined {
    if (version !== this.#options.version) return "of another version";
    if (build !== this.#options.agentBuild) return "of another build";
    const [, ...wanted] = this.#options.nodeAgent;
    if (wanted.join("\n") === settings?.join("\n")) return undefined;
    return "with other settings";
  }

  async #replaceAgent(pid: number, odd: string | undefined): Promise<void> {
    this.#options.terminal.err(`Replacing the node agent ${odd} (process ${pid}); its game servers go on.`);
    await this.#stopAgent("servers");
  }

  /** Resolves when the agent's process is gone, or has had its time. */
  async #stopAgent(keep: "servers" | "none"): Promise<void> {
    const { agent, terminal } = this.#options;
    const running = await agent.identity().catch((error: unknown) => {
      if (!isSilent(error)) throw error;
      terminal.err("The node agent does not answer, and was not told to stop: its game servers go on.");
    });
    if (!running) return;
    await agent.stop(keep).catch(() => {});
    await this.#until(async () => !isAlive(running.pid), AGENT_GRACE_MS);
  }

  async #until(holds: () => Promise<boolean>, atMostMs: number): Promise<void> {
    const { clock } = this.#options;
    const end = clock.monotonic() + atMostMs;
    while (clock.monotonic() < end && !(await holds())) await clock.sleep(50);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Its end was all that was wanted.
  }
}

/** False, too, for one that has ended and is not waited for by its parent. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return true;
  }
}
