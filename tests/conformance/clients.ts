/** The clients: what each is, what it can do, and how its program is made. */
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { type Command, makeGo, makePython, makeRust } from "./make.ts";
import { SEQUENCE_NAMES, type SequenceName } from "./sequences.ts";

export interface Client {
  readonly title: string;
  /** For names of objects. */
  readonly id: string;
  /** Those whose calls it has. */
  readonly sequences: readonly SequenceName[];
  /** A command that succeeds where it can be made; absent: everywhere. */
  readonly tool?: Command;
  make(): Promise<Command>;
}

const FOLDER = join(import.meta.dirname, "clients");
const GRPC = SEQUENCE_NAMES.filter((name) => name !== "gateway");
const npmVersion = packageJson.devDependencies["@google-cloud/agones-sdk"];
const node =
  (file: string): Client["make"] =>
  async () => [process.execPath, join(FOLDER, "node", file)];

export const CLIENTS: readonly Client[] = [
  { id: "npm", title: `npm \`@google-cloud/agones-sdk\` ${npmVersion}`, sequences: GRPC, make: node("npm.ts") },
  { id: "rest", title: "REST and WebSocket", sequences: SEQUENCE_NAMES, make: node("rest.ts") },
  { id: "rust", title: "crate `agones` 1.61.0", sequences: GRPC, tool: ["cargo", "--version"], make: makeRust },
  {
    id: "python",
    title: "PyPI `agones-python-sdk` 1.0.0, over REST",
    // It has nothing of beta and alpha.
    sequences: ["life", "reservation"],
    tool: ["python3", "-m", "venv", "--help"],
    make: makePython,
  },
  {
    id: "go",
    title: "protoc-gen-go 1.36.12 and protoc-gen-go-grpc 1.6.2",
    sequences: GRPC,
    tool: ["go", "version"],
    make: makeGo,
  },
];
