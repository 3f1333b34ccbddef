import { Command } from "commander";
import type { AgentPort } from "./agent.ts";
import { notEmpty, readableBy } from "./arguments.ts";
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
  npx stadion start
  npx stadion run --replicas 3 -- ./MyServer --port '$(PORT)'
  npx stadion dev -- ./MyServer --port '$(PORT)'
  npx stadion sdk-server --local    (no cluster: its flags are its own)
  npx stadion get gameservers
  npx stadion allocate arena

npx stadion COMMAND --help says more.`;

/** What commander says of an argument, as opposed to an option. */
const WRONG_ARGUMENT = /command-argument value '([\s\S]*)' is invalid for argument '(.*?)'\./;

type AddCommand = (program: Command, session: Session, installation: Installation) => void;

/** The commands by group, each in a file that is loaded when it is called or shown. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, () => Promise<AddCommand>>>>> = {
  "The cluster:": {
    start: async () => (await import("./commands/start.ts")).addStart,
    status: async () => (await import("./commands/status.ts")).addStatus,
  },
  "Game servers:": {
    run: async () => (await import("./commands/run.ts")).addRun,
    dev: async () => (await import("./commands/dev.ts")).addDev,
    "sdk-server": async () => (await import("./commands/sdk-server.ts")).addSdkServer,
    allocate: async () => (await import("./commands/allocate.ts")).addAllocate,
    logs: async () => (await import("./commands/logs.ts")).addLogs,
    "pause-health": async () => (await import("./commands/pause-health.ts")).addPauseHealth,
    images: async () => (await import("./commands/images.ts")).addImages,
  },
  "Objects:": {
    get: async () => (await import("./commands/get.ts")).addGet,
    watch: async () => (await import("./commands/watch.ts")).addWatch,
    apply: async () => (await import("./commands/apply.ts")).addApply,
    delete: async () => (await import("./commands/delete.ts")).addDelete,
    scale: async () => (await import("./commands/scale.ts")).addScale,
  },
};

/**
 * The commands of `stadion`: the one that `words` call, or all where they call none. What a command needs is loaded with it, so that
 * one starts without what the others need.
 */
export async function createProgram(options: ProgramOptions, words: readonly string[] = []): Promise<Command> {
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
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(--help says what there is)")
    .configureOutput({
      writeOut: (text) => terminal.out(text.replace(/\n$/, "")),
      writeErr: (text) => terminal.err(text.replace(/\n$/, "")),
      outputError: (text, write) => write(text.replace(WRONG_ARGUMENT, "'$1' cannot be the $2.")),
    })
    .exitOverride()
    .addHelpText("after", () => EXAMPLES);
  const session = new Session({
    ...options,
    dataDir: () => program.opts<{ dataDir: string }>().dataDir,
  });
  const called = words.find((word, at) => !word.startsWith("-") && words[at - 1] !== "--data-dir");
  const all = !Object.values(GROUPS).some((commands) => called !== undefined && Object.hasOwn(commands, called));
  for (const [group, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(group);
    for (const [name, load] of Object.entries(commands))
      if (all || name === called) (await load())(program, session, installation);
  }
  program.commandsGroup("Help:").helpCommand("help [command]", "say what a command takes");
  return program;
}
