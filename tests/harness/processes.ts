/** What runs on this machine, read from /proc: game servers are tested on Linux. */
import { readdirSync, readFileSync } from "node:fs";

export interface RunningProcess {
  readonly pid: number;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The processes whose arguments or environment name something in a folder: a cluster's own, and its game servers. */
export function processesOf(folder: string): readonly RunningProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => readProcess(Number(name)) ?? [])
    .filter(({ command, environment }) =>
      [...command, environment.STADION_RUN ?? ""].some((text) => text.includes(`${folder}/`) || text.endsWith(folder)),
    );
}

/** Undefined for a process that has ended, waited for by its parent or not. */
export function readProcess(pid: number): RunningProcess | undefined {
  try {
    if (/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) return undefined;
    const command = words(`/proc/${pid}/cmdline`);
    const environment = words(`/proc/${pid}/environ`).map((entry) => {
      const at = entry.indexOf("=");
      return [entry.slice(0, at), entry.slice(at + 1)] as const;
    });
    return { pid, command, environment: Object.fromEntries(environment) };
  } catch {
    return undefined;
  }
}

/** The processes that a process has started itself. */
export function childrenOf(parent: number): readonly RunningProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? [])
    .filter(({ pid }) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}

export const isAlive = (pid: number): boolean => readProcess(pid) !== undefined;

/** Kills each with SIGKILL, by its own id; one that has ended already is as good. Fails for one that has no id: 0 is everybody. */
export function killAll(processes: readonly { readonly pid: number | undefined }[]): void {
  for (const { pid } of processes) {
    if (!pid) throw new Error("there is no process to kill");
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

const words = (file: string): readonly string[] => readFileSync(file, "utf8").split("\0").filter(Boolean);
