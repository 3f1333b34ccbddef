/** `stadion`: the command line, and the supervisor behind `npm start`. */
import { enableCompileCache } from "node:module";
import { systemClock } from "#runtime/clock.ts";
import { keepCompiledCode } from "./wiring/compiled-code.ts";
import { findInstallation } from "./wiring/installation.ts";

const installation = findInstallation();
enableCompileCache(installation.compileCache);
keepCompiledCode(systemClock);

// With it came sockets that are bound before they listen.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 26 || (major === 26 && minor < 4)) {
  console.error(
    `Stadion needs Node 26.4 or later, this is ${process.version}: run "npm start", which brings it along.`,
  );
  process.exit(1);
}

const { runCommand } = await import("#cli/main.ts");
const { userPath } = await import("#cli/user-path.ts");
const { createAgentClient } = await import("#cluster/node/agent-client.ts");

/** npm passes on a Ctrl-C that the terminal has sent to us as well: what comes so soon is the same one. */
const SAME_SIGNAL_MS = 500;

/** So long after a second Ctrl-C there is no more waiting. */
const HURRY_MS = 1_000;

const interrupted = new AbortController();
const hurried = new AbortController();
let first: number | undefined;
let diverted: ((signal: NodeJS.Signals) => void) | undefined;
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => {
    if (diverted) {
      diverted(name);
      return;
    }
    interrupted.abort(new Error(`interrupted by ${name}`));
    first ??= performance.now();
    if (performance.now() - first <= SAME_SIGNAL_MS) return;
    hurried.abort();
    setTimeout(() => process.exit(130), HURRY_MS).unref();
  });
}

// Whoever read the output may be gone, or its terminal: nothing ends by an error of writing to it.
const unread = new AbortController();
process.stdout.on("error", () => unread.abort(new Error("nobody reads the output any more")));
process.stderr.on("error", () => {});

process.exitCode = await runCommand(process.argv.slice(2), {
  terminal: { out: (line) => console.log(line), err: (line) => console.error(line) },
  interrupted: interrupted.signal,
  hurried: hurried.signal,
  unread: unread.signal,
  divertSignals: (handler) => {
    diverted = handler;
    return () => {
      diverted = undefined;
    };
  },
  installation,
  agentAt: createAgentClient,
  path: userPath(process.env.PATH ?? ""),
  defaultDataDir: process.env.STADION_DATA_DIR || ".stadion",
});
