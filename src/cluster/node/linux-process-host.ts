/**
 * `ProcessHost` on Linux.
 *
 *     agent ── spawn, own session and group ──▶ /bin/sh (the keeper) ──▶ the container's command
 *                                                 └ when it ends: writes RUN.exit, kills what is left of the group
 *
 * The keeper costs about 120 KB and is why an exit code is known even when no agent was there to wait for it. All processes
 * of a run carry its run file in the environment variable `STADION_RUN`; by that they are found again, and no pid is trusted.
 */
import { readFile, stat } from "node:fs/promises";
import { constants } from "node:os";
import type { Clock } from "#runtime/clock.ts";
import { commandLineOf, firstChild, isAlive, processesWith, readStat } from "./proc-files.ts";
import {
  exitFileOf,
  type HostCapabilities,
  type HostProcess,
  logFileOf,
  type ProcessEnd,
  type ProcessHost,
  type ProcessIdentity,
  type SpawnRequest,
} from "./process-host.ts";
import { ProcessStarter } from "./process-starter.ts";
import { Rounds } from "./rounds.ts";
import type { StartedProcess, StartRequest } from "./start-process.ts";

const RUN_VARIABLE = "STADION_RUN";
const KEEPER_NAME = "stadion-keeper";

/**
 * The keeper lets signals to the group pass it by; a caught signal, unlike an ignored one, is back at its default in the
 * child. Its own notes on the child's end go nowhere. An exit file that cannot be written leaves the code to `wait`.
 */
const KEEPER = `trap : HUP INT QUIT TERM USR1 USR2
exec 3>&2 2>/dev/null
"$@" 2>&3 3>&-
s=$?
echo $s >"$${RUN_VARIABLE}.exit" && kill -KILL 0
exit $s`;

/** Names that a shell would drop, or set itself, on the way to its child. */
const plainName = /^(?!(?:IFS|OPTIND|PPID|PWD|OLDPWD|SHLVL|ENV|PS[0-9]|_)$)[A-Za-z_][A-Za-z0-9_]*$/;

const ADOPTED_POLL_MS = 500;
const BEGIN_LOOK_MS = 10;
const STRAY_SWEEP_MS = 5000;
const SWEEP_RETRY_MS = 500;
/** A small helper costs 8 MB and 40 ms of processor time: what makes few processes goes without. */
const OWN_STARTS = 8;

export interface LinuxProcessHostOptions {
  readonly clock: Clock;
  /** Any POSIX shell. Default `/bin/sh`. */
  readonly shell?: string;
  /** How soon after the end of a run what escaped from its group is looked for. Default 5 s. */
  readonly straySweepMs?: number;
  /** How many processes the agent starts by itself before a helper process starts them. Default 8. */
  readonly ownStarts?: number;
}

export function createLinuxProcessHost(options: LinuxProcessHostOptions): ProcessHost {
  return new LinuxProcessHost(options);
}

class LinuxProcessHost implements ProcessHost {
  readonly #clock: Clock;
  readonly #shell: string;
  readonly #straySweepMs: number;
  #sweepDue = false;
  readonly #adopted = new Map<RunProcess, () => void>();
  readonly #toSweep = new Set<string>();
  readonly #sweeps = new Rounds(() => this.#killStrays());
  #polling = false;
  readonly #starter: ProcessStarter;

  constructor(options: LinuxProcessHostOptions) {
    const { clock, shell = "/bin/sh", straySweepMs = STRAY_SWEEP_MS, ownStarts = OWN_STARTS } = options;
    this.#starter = new ProcessStarter(ownStarts);
    this.#clock = clock;
    this.#shell = shell;
    this.#straySweepMs = straySweepMs;
  }

  async spawn({ runFile, command, environment, workingDirectory }: SpawnRequest): Promise<HostProcess> {
    const odd = Object.entries(environment).filter(([name]) => !plainName.test(name));
    const words = odd.length === 0 ? command : ["/usr/bin/env", ...odd.map(([k, v]) => `${k}=${v}`), ...command];
    const plain = Object.fromEntries(Object.entries(environment).filter(([name]) => plainName.test(name)));
    const { identity, exited } = await this.#start(
      {
        command: [this.#shell, "-c", KEEPER, KEEPER_NAME, ...words],
        environment: { ...plain, [RUN_VARIABLE]: runFile },
        workingDirectory,
        logFile: logFileOf(runFile),
      },
      runFile,
    );
    const ended = exited.then(async (exit) => {
      if (!exit) return this.#adopt(runFile, identity).ended;
      const { code, signal } = exit;
      const waited = { exitCode: code ?? 128 + constants.signals[signal ?? "SIGKILL"], finishedAt: this.#clock.now() };
      return (await this.#afterEnd(runFile)) ?? waited;
    });
    return new RunProcess(runFile, identity, ended, this.#clock);
  }

  async #start(request: StartRequest, runFile: string): Promise<StartedProcess> {
    const started = await this.#starter.start(request);
    if (started) return started;
    await this.#sweep(runFile);
    return this.#starter.startAlone(request);
  }

  async recover(folder: string): Promise<ReadonlyMap<string, HostProcess>> {
    const below = `${folder}/`;
    const members = (await processesWith(RUN_VARIABLE)).filter(({ value }) => value.startsWith(below));
    const found = new Map<string, HostProcess>();
    for (const { pid, value } of members) {
      const keeper = commandLineOf(pid)[3] === KEEPER_NAME ? readStat(pid) : undefined;
      // The keeper's child looks the same until it becomes the command, but leads no group.
      if (keeper?.group === pid) found.set(value, this.#adopt(value, { pid, startTime: keeper.startTime }));
    }
    for (const { pid, value } of members) if (!found.has(value)) kill(pid, "SIGKILL");
    return found;
  }

  #adopt(runFile: string, identity: ProcessIdentity): HostProcess {
    const { promise, resolve } = Promise.withResolvers<ProcessEnd | undefined>();
    const adopted = new RunProcess(runFile, identity, promise, this.#clock);
    this.#adopted.set(adopted, () => void this.#afterEnd(runFile).then(resolve));
    this.#pollAdopted();
    return adopted;
  }

  /** The system tells only parents about an end, so one timer looks after all that are not our children. */
  #pollAdopted(): void {
    if (this.#polling || this.#adopted.size === 0) return;
    this.#polling = true;
    this.#clock.after(ADOPTED_POLL_MS, () => {
      this.#polling = false;
      for (const [adopted, ended] of this.#adopted) {
        if (isAlive(adopted.identity)) continue;
        this.#adopted.delete(adopted);
        ended();
      }
      this.#pollAdopted();
    });
  }

  /**
   * How a run ended, once nothing of it is left. A keeper that wrote its exit file has ended the group; only what made itself a
   * session of its own is left then, and is looked for later, for many runs at once. Without the file the keeper was killed: its
   * child may well live.
   */
  async #afterEnd(runFile: string): Promise<ProcessEnd | undefined> {
    const end = await this.endOf(runFile);
    if (end) this.#sweepLater(runFile);
    else await this.#sweep(runFile);
    return end;
  }

  #sweepLater(runFile: string): void {
    this.#toSweep.add(runFile);
    if (this.#sweepDue) return;
    this.#sweepDue = true;
    this.#clock.after(this.#straySweepMs, () => {
      this.#sweepDue = false;
      void this.#sweep(runFile);
    });
  }

  /** Kills whatever carries the run's mark. One look over all processes serves every run that asked before it began. */
  #sweep(runFile: string): Promise<void> {
    this.#toSweep.add(runFile);
    return this.#sweeps.next();
  }

  async #killStrays(): Promise<void> {
    const runs = new Set(this.#toSweep);
    this.#toSweep.clear();
    for (const { pid, value } of await this.#allRuns()) if (runs.has(value)) kill(pid, "SIGKILL");
  }

  /** Whoever sweeps relies on it that nothing is left: where the system cannot be looked over now, it is tried until it can. */
  async #allRuns(): Promise<Awaited<ReturnType<typeof processesWith>>> {
    for (;;) {
      try {
        return await processesWith(RUN_VARIABLE);
      } catch {
        await this.#clock.sleep(SWEEP_RETRY_MS);
      }
    }
  }

  async endOf(runFile: string): Promise<ProcessEnd | undefined> {
    try {
      const file = exitFileOf(runFile);
      const text = (await readFile(file, "utf8")).trim();
      if (!/^\d{1,3}$/.test(text)) return undefined;
      return { exitCode: Number(text), finishedAt: Math.floor((await stat(file)).mtimeMs) };
    } catch {
      return undefined;
    }
  }

  async wasSpawned(runFile: string): Promise<boolean> {
    return stat(logFileOf(runFile)).then(
      () => true,
      () => false,
    );
  }

  capabilities(): HostCapabilities {
    return { cpuLimit: false, memoryLimit: false, networkIsolation: false, filesystemIsolation: false };
  }
}

class RunProcess implements HostProcess {
  readonly runFile: string;
  readonly identity: ProcessIdentity;
  readonly ended: Promise<ProcessEnd | undefined>;

  readonly #clock: Clock;
  /** Looks that are left until the command is taken to have begun. */
  #looks = 500;

  constructor(runFile: string, identity: ProcessIdentity, ended: Promise<ProcessEnd | undefined>, clock: Clock) {
    this.runFile = runFile;
    this.identity = identity;
    this.ended = ended;
    this.#clock = clock;
  }

  /** A keeper that has not started its command yet would catch the signal, and the command never hear of it. */
  signal(name: "SIGTERM" | "SIGKILL"): void {
    if (!isAlive(this.identity)) return;
    if (name === "SIGTERM" && !this.#hasBegun()) this.#clock.after(BEGIN_LOOK_MS, () => this.signal(name));
    else signalGroup(this.identity.pid, name);
  }

  #hasBegun(): boolean {
    if (this.#looks === 0) return true;
    const begun = hasCommand(this.identity.pid);
    this.#looks = begun ? 0 : this.#looks - 1;
    return begun;
  }

  mainProcess(): number | undefined {
    return isAlive(this.identity) ? firstChild(this.identity.pid) : undefined;
  }
}

/** Whether a keeper has started its command; false while that cannot be looked at. */
function hasCommand(keeper: number): boolean {
  try {
    const child = firstChild(keeper);
    // Until it becomes the command, it looks like the keeper.
    return child !== undefined && commandLineOf(child)[3] !== KEEPER_NAME;
  } catch {
    return false;
  }
}

const signalGroup = (leader: number, signal: NodeJS.Signals): void => kill(-leader, signal);

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended on its own in the meantime.
  }
}
