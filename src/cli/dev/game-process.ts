/** A game that a person starts by hand, or its debugger: it has the terminal, and what the person presses is for it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { Clock } from "#runtime/clock.ts";
import { CliError } from "../errors.ts";

export interface GameProcessOptions {
  /** An absolute path, and arguments. */
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** A terminal sends Ctrl-C to the game itself. */
  readonly isTerminal: boolean;
  readonly divertSignals: (handler: (signal: NodeJS.Signals) => void) => () => void;
  /** Resolves once the game has no GameServer any more: it is told to end. */
  readonly over: Promise<void>;
  /** Something for the person to read. */
  readonly tell: (text: string) => void;
  readonly clock: Clock;
}

/** As often within `PRESSED_MS`, Ctrl-C ends a game that does not end by itself. */
const PRESSES = 3;
const PRESSED_MS = 3_000;
/** What comes so soon is the same press, sent on by npm. */
const SAME_PRESS_MS = 100;

/** Runs it to its end, and resolves with its exit code; as shells count when a signal ended it. Rejects with `CliError` when it cannot start. */
export async function runGame(options: GameProcessOptions): Promise<number> {
  const { command, env, isTerminal, divertSignals, over, tell, clock } = options;
  const [file = "", ...args] = command;
  const child = spawn(file, args, { stdio: "inherit", env });
  let told = false;
  void over.then(() => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    tell("its GameServer is gone: the game is told to end");
    told = true;
    child.kill("SIGTERM");
  });
  const presses: number[] = [];
  const giveBack = divertSignals((signal) => {
    if (signal !== "SIGINT") {
      child.kill("SIGTERM");
      return;
    }
    const now = clock.monotonic();
    const isSame = now - (presses.at(-1) ?? Number.NEGATIVE_INFINITY) <= SAME_PRESS_MS;
    if (!isSame) presses.push(now);
    const [first = now] = presses.slice(-PRESSES);
    if (presses.length >= PRESSES && now - first <= PRESSED_MS) child.kill("SIGKILL");
    else if (!isTerminal && !isSame) child.kill("SIGINT");
  });
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    if (code !== null) return code;
    return told ? 0 : 128 + constants.signals[signal ?? "SIGKILL"];
  } catch (cause) {
    throw new CliError("Usage", `${file} cannot be started: ${(cause as Error).message}`, { cause });
  } finally {
    giveBack();
  }
}
