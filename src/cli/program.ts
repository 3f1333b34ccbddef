import { Command } from "commander";
import type { AgentPort } from "./agent.ts";
import { notEmpty, readableBy } from "./arguments.ts";
import { addAllocate } from "./commands/allocate.ts";
import { addApply } from "./commands/apply.ts";
import { addDelete } from "./commands/delete.ts";
import { addDev } from "./commands/dev.ts";
import { addGet } from "./commands/get.ts";
import { addImages } from "./commands/images.ts";
import { addLogs } from "./commands/logs.ts";
import { addPauseHealth } from "./commands/pause-health.ts";
import { addRun } from "./commands/run.ts";
import { addScale } from "./commands/scale.ts";
import { addSdkServer } from "./commands/sdk-server.ts";
import { addStart } from "./commands/start.ts";
import { addStatus } from "./commands/status.ts";
import { addWatch } from "./commands/watch.ts";
import type { Terminal } from "./output.ts";
import { type DivertSignals, Session } from "./session.ts";
import type { Installation } from "./start/installation.ts";

export interface ProgramOptions {
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C, by SIGTERM, and when the terminal's window closes. */
  readonly interrupted: AbortSignal;
  /** Aborted by a second Ctrl-C: about a second is left. */
  readonly hurried: AbortSignal;
  /** Aborted once nobody reads what is printed. */
  readonly unread: AbortSignal;
  readonly divertSignals: DivertSignals;
  readonly installation: Installation;
  /** Used when `--data-dir` is not given. */
  readonly defaultDataDir: string;
  readonly agentAt: (socketPath: string) => AgentPort;
  /** The PATH of the person who runs this, by which programs are found. */
  readonly path: string;
}

const EXAMPLES = `
Examples:
  stadion start
  stadion run --replicas 3 -- ./MyServer --port '$(PORT)'
  stadion dev -- ./MyServer --port '$(PORT)'
  stadion sdk-server --local    (no cluster: its flags are its own)
  stadion get gameservers
  stadion allocate arena

stadion COMMAND --help says more.`;

/** The commands of `stadion`. */
export function createProgram(options: ProgramOptions): Command {
  const { terminal, installation, defaultDataDir } = options;
  const program = new Command("stadion")
    .description("dedicated game servers on this machine, as a Kubernetes cluster would run them")
    .version(installation.version)
    .option(
      "--data-dir <folder>",
      "where the cluster keeps its state; also by STADION_DATA_DIR",
      readableBy(notEmpty),
      defaultDataDir,
    )
    .showHelpAfterError("(--help says what there is)")
    .configureOutput({
      writeOut: (text) => terminal.out(text.replace(/\n$/, "")),
      writeErr: (text) => terminal.err(text.replace(/\n$/, "")),
    })
    .exitOverride()
    .addHelpText("after", () => EXAMPLES);
  const session = new Session({
    ...options,
    dataDir: () => program.opts<{ dataDir: string }>().dataDir,
  });
  program.commandsGroup("The cluster:");
  addStart(program, session, installation);
  addStatus(program, session);
  program.commandsGroup("Game servers:");
  addRun(program, session);
  addDev(program, session, installation);
  addSdkServer(program);
  addAllocate(program, session);
  addLogs(program, session);
  addPauseHealth(program, session);
  addImages(program, session);
  program.commandsGroup("Objects:");
  addGet(program, session);
  addWatch(program, session);
  addApply(program, session);
  addDelete(program, session);
  addScale(program, session);
  program.commandsGroup("Help:").helpCommand("help [command]", "say what a command takes");
  return program;
}
