import { Command } from "commander";
import type { AgentPort } from "./agent.ts";
import { addAllocate } from "./commands/allocate.ts";
import { addChange } from "./commands/change.ts";
import { addGet } from "./commands/get.ts";
import { addImages } from "./commands/images.ts";
import { addLogs } from "./commands/logs.ts";
import { addRun } from "./commands/run.ts";
import { addStart } from "./commands/start.ts";
import { addStatus } from "./commands/status.ts";
import { EXIT_CODES } from "./errors.ts";
import type { Terminal } from "./output.ts";
import { Session } from "./session.ts";
import type { Installation } from "./start/installation.ts";

export interface ProgramOptions {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly installation: Installation;
  /** Used when `--data-dir` is not given. */
  readonly defaultDataDir: string;
  readonly agentAt: (socketPath: string) => AgentPort;
}

/** The commands of `stadion`. */
export function createProgram({ terminal, signal, installation, defaultDataDir, agentAt }: ProgramOptions): Command {
  const program = new Command("stadion")
    .description("dedicated game servers on this machine, as a Kubernetes cluster would run them")
    .version(installation.version)
    .option("--data-dir <folder>", "where the cluster keeps its state", defaultDataDir)
    .showHelpAfterError()
    .exitOverride((error) => {
      process.exitCode = error.exitCode === 0 ? 0 : EXIT_CODES.Usage;
      throw error;
    });
  const session = new Session({
    terminal,
    signal,
    agentAt,
    dataDir: () => program.opts<{ dataDir: string }>().dataDir,
  });
  addStart(program, session, installation);
  addGet(program, session);
  addChange(program, session);
  addAllocate(program, session);
  addLogs(program, session);
  addStatus(program, session);
  addRun(program, session);
  addImages(program, session);
  return program;
}
