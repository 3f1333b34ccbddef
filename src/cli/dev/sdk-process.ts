/** The SDK server of a game that a person starts by hand: a process of its own, at the same ports for one GameServer after another. */
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { systemClock as clock } from "#runtime/clock.ts";
import { CliError } from "../errors.ts";
import { Child } from "../start/child.ts";
import { lastWords } from "../start/last-words.ts";
import { freePort, isFree } from "./free-port.ts";

export interface SdkProcessOptions {
  /** Entry file of the SDK server. */
  readonly program: string;
  /** Of the cluster, absolute. */
  readonly dataDir: string;
  readonly featureGates: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface SdkPorts {
  readonly grpc: number;
  readonly http: number;
}

const HOST = "localhost";
const PATIENCE_MS = 30_000;
const ASK_MS = 25;
const GRACE_MS = 3_000;

/** Where SDKs look for it when nobody tells them, if that is free; else somewhere else. */
export async function choosePorts(): Promise<SdkPorts> {
  const usual = { grpc: 9357, http: 9358 };
  if ((await isFree(usual.grpc, "TCP", HOST)) && (await isFree(usual.http, "TCP", HOST))) return usual;
  return { grpc: await freePort("TCP", HOST), http: await freePort("TCP", HOST) };
}

export class SdkProcess {
  readonly #options: SdkProcessOptions;
  readonly #logFile: string;
  readonly ports: SdkPorts;
  #child: Child | undefined;

  constructor(options: SdkProcessOptions, ports: SdkPorts) {
    this.#options = options;
    this.ports = ports;
    const logs = join(options.dataDir, "logs");
    mkdirSync(logs, { recursive: true });
    this.#logFile = join(logs, `dev-sdk-server-${ports.http}.log`);
  }

  /** Serves a GameServer; resolves when games can call. Rejects with `CliError` when it cannot, or with the signal's reason. */
  async serve(namespace: string, name: string, signal: AbortSignal): Promise<void> {
    const { program, dataDir, featureGates, env } = this.#options;
    writeFileSync(this.#logFile, "", { mode: 0o600 });
    const flags = {
      "gameserver-name": name,
      "pod-namespace": namespace,
      kubeconfig: join(dataDir, "kubeconfig"),
      "graceful-termination": false,
      "feature-gates": featureGates,
      "grpc-port": this.ports.grpc,
      "http-port": this.ports.http,
      "health-port": 0,
      address: HOST,
    };
    let failure: string | undefined;
    const child = new Child({
      args: () => [program, ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)],
      env,
      logFile: this.#logFile,
      onMessage: () => {},
      onExit: (how) => {
        failure ??= lastWords(this.#logFile).join("; ") || how;
      },
      clock,
    });
    this.#child = child;
    child.start();
    const deadline = clock.monotonic() + PATIENCE_MS;
    while (!(await answers(this.ports.http))) {
      if (failure !== undefined) throw new CliError("Refused", `the SDK server cannot run: ${failure}`);
      if (clock.monotonic() > deadline)
        throw new CliError("TimedOut", `the SDK server does not serve; its log is ${this.#logFile}`);
      await clock.sleep(ASK_MS, signal);
    }
  }

  async stop(): Promise<void> {
    await this.#child?.stop(GRACE_MS);
    this.#child = undefined;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    const settle = (answered: boolean) => () => {
      socket.destroy();
      resolve(answered);
    };
    socket.once("connect", settle(true));
    socket.once("error", settle(false));
  });
}
