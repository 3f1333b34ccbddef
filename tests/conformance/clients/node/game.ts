/** The steps of `sequences.ts`, for the clients that are written in TypeScript. */

/** What was refused, by its gRPC code. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface SeenGameServer {
  readonly name: string;
  readonly uid: string;
  readonly created: number;
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The calls of one client. Each throws a `Refusal` when the server refuses. */
export interface Calls {
  gameServer(): Promise<SeenGameServer>;
  /** Calls back with each object, the first soon. */
  watch(seen: (server: SeenGameServer) => void): void;
  setLabel(key: string, value: string): Promise<unknown>;
  setAnnotation(key: string, value: string): Promise<unknown>;
  /** All other steps by their names: what they answer, where it is a value. */
  readonly steps: Readonly<Record<string, (...words: string[]) => Promise<unknown>>>;
}

const PATIENCE_MS = 30_000;
const PAUSE_MS = 50;

/** Does the steps that the command line names, prints a line for each, and ends the process. */
export async function play(calls: Calls): Promise<void> {
  const seen: SeenGameServer[] = [];
  const steps: Calls["steps"] = {
    gameserver: async () => (await calls.gameServer()).name,
    watch: async () => {
      calls.watch((server) => seen.push(server));
      return until(() => seen[0]?.uid);
    },
    watched: (state) => until(() => seen.find((server) => server.state === state)?.state),
    state: (state) => until(async () => ((await calls.gameServer()).state === state ? state : undefined)),
    label: (key = "", value = "") => calls.setLabel(key, value),
    "timestamp-label": async () => {
      await calls.setLabel("timestamp", String((await calls.gameServer()).created));
      return until(async () => (await calls.gameServer()).labels["agones.dev/sdk-timestamp"]);
    },
    "uid-annotation": async () => {
      await calls.setAnnotation("uid", seen[0]?.uid ?? "");
      return until(async () => (await calls.gameServer()).annotations["agones.dev/sdk-uid"]);
    },
    ...calls.steps,
  };
  for (const step of process.argv.slice(2)) {
    const [name = "", ...words] = step.split(" ");
    console.log(await answer(steps[name], words));
  }
  process.exit();
}

async function answer(step: Calls["steps"][string] | undefined, words: readonly string[]): Promise<string> {
  if (!step) return "unknown step";
  try {
    const value = await step(...words);
    return ["string", "number", "boolean"].includes(typeof value) || Array.isArray(value) ? String(value) : "ok";
  } catch (error) {
    if (error instanceof Refusal) return `refused ${error.code} ${error.message}`;
    throw error;
  }
}

/** The first value that there is. */
async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T | "too late"> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return "too late";
}
