/** The command line of `stadion` in this process, on the real API server behind a real socket. All of it ends with the test. */
import { onTestFinished } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "#api/core/resources.ts";
import { buildCustomResourceDefinitions } from "#api/definitions/crds.ts";
import type { AgentContainer, AgentIdentity, AgentPort } from "#cli/agent.ts";
import { runCommand } from "#cli/main.ts";
import type { Installation } from "#cli/start/installation.ts";
import { openHttpDoor } from "#cluster/apiserver/testing/http-door.ts";
import type { TestOptions, TestServer } from "#cluster/apiserver/testing/test-server.ts";
import { agonesAdmission } from "#extensions/admission.ts";
import { createClient } from "#kube/api-client.ts";
import type { Client } from "#kube/client.ts";
import { httpTransport } from "#kube/transport-http.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command under way. */
export interface Running {
  /** What it wrote so far, by lines. */
  readonly out: readonly string[];
  readonly err: readonly string[];
  readonly ended: Promise<Ran>;
  ctrlC(): void;
  /** Nobody reads its output from now on. */
  stopReading(): void;
}

/** A node agent that says what it is told to say. */
export class FakeAgent implements AgentPort {
  running: AgentIdentity | undefined;
  processes: readonly AgentContainer[] = [];
  /** It is there, and says nothing. */
  isSilent = false;
  readonly identity = async () => {
    if (this.isSilent) throw Object.assign(new Error("no answer"), { code: "AgentSilent" });
    return this.running;
  };
  readonly containers = async () => this.processes;
  readonly stop = async () => {
    this.running = undefined;
  };
}

export interface CommandLine {
  readonly server: TestServer;
  readonly client: Client;
  readonly dataDir: string;
  readonly agent: FakeAgent;
  /** Runs a command to its end. Words are split at spaces, unless given apart. */
  run(command: string | readonly string[]): Promise<Ran>;
  start(command: string | readonly string[]): Running;
}

const INSTALLATION = {
  version: "1.2.3",
  controlPlane: "",
  nodeAgent: "",
  sdkServer: "",
  agentBuild: "1-0",
  quickStart: "",
  compileCache: "",
};

/** On a cluster without nodes and controllers. */
export async function openCommandLine(options: TestOptions = {}): Promise<CommandLine> {
  const admission = [agonesAdmission({ gates: featureGates(), version: "1.2.3" })];
  const { server, socketPath, folder: dataDir } = await openHttpDoor({ admission, ...options });
  const transport = httpTransport({ socketPath });
  onTestFinished(() => transport.close());
  const client = createClient(transport);
  for (const definition of buildCustomResourceDefinitions())
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
  const agent = new FakeAgent();
  const start = (command: string | readonly string[]) =>
    startCommand(["--data-dir", dataDir, ...words(command)], agent);
  return { server, client, dataDir, agent, start, run: (command) => start(command).ended };
}

/** A command as it is typed. */
export function startCommand(
  command: string | readonly string[],
  agent: AgentPort = new FakeAgent(),
  installation: Partial<Installation> = {},
): Running {
  const [out, err]: [string[], string[]] = [[], []];
  const interrupt = new AbortController();
  const unread = new AbortController();
  const code = runCommand(words(command), {
    terminal: { out: (text) => out.push(...text.split("\n")), err: (text) => err.push(...text.split("\n")) },
    interrupted: interrupt.signal,
    hurried: new AbortController().signal,
    unread: unread.signal,
    divertSignals: () => () => {},
    installation: { ...INSTALLATION, ...installation },
    agentAt: () => agent,
    path: "/usr/bin:/bin",
    defaultDataDir: "/nowhere/.stadion",
  });
  return {
    out,
    err,
    ended: code.then((code) => ({ code, out: out.join("\n"), err: err.join("\n") })),
    ctrlC: () => interrupt.abort(new Error("interrupted")),
    stopReading: () => unread.abort(new Error("unread")),
  };
}

const words = (command: string | readonly string[]): readonly string[] =>
  typeof command === "string" ? command.split(" ") : command;

/** A game server as a manifest has it. */
export const gameServer = (name: string, labels: Readonly<Record<string, string>> = {}): GameServer => ({
  apiVersion: "agones.dev/v1",
  kind: "GameServer",
  metadata: { name, namespace: "default", labels },
  spec: gameServerSpec,
});

export const gameServerSpec = {
  ports: [{ name: "default", containerPort: 7654 }],
  template: { spec: { containers: [{ name: "game", image: "game:1" }] } },
};

export const fleetManifest = (name: string, replicas: number) => ({
  apiVersion: "agones.dev/v1",
  kind: "Fleet",
  metadata: { name },
  spec: { replicas, template: { spec: gameServerSpec } },
});
