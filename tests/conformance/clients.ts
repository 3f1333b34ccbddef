/** The clients: what each is, what it can do, and how its program is made. */
import { readFileSync } from "node:fs";
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
/** The version that a file beside a client's program pins. */
function pinned(file: string, name: string): string {
  const [, version] = new RegExp(`${name}\\W+v?([\\d.]+)`).exec(readFileSync(join(FOLDER, file), "utf8")) ?? [];
  if (version === undefined) throw new Error(`${file} pins no ${name}`);
  return version;
}

const npmVersion = packageJson.devDependencies["@google-cloud/agones-sdk"];
const node =
  (file: string): Client["make"] =>
  async () => [process.execPath, join(FOLDER, "node", file)];

export const CLIENTS: readonly Client[] = [
  { id: "npm", title: `npm \`@google-cloud/agones-sdk\` ${npmVersion}`, sequences: GRPC, make: node("npm.ts") },
  { id: "rest", title: "REST and WebSocket", sequences: SEQUENCE_NAMES, make: node("rest.ts") },
  {
    id: "rust",
    title: `crate \`agones\` ${pinned("rust/client/Cargo.toml", "agones")}`,
    sequences: GRPC,
    tool: ["cargo", "--version"],
    make: makeRust,
  },
  {
    id: "python",
    title: `PyPI \`agones-python-sdk\` ${pinned("python/requirements.txt", "agones-python-sdk")}, over REST`,
    // It has nothing of beta and alpha.
    sequences: ["life", "reservation"],
    tool: ["python3", "-m", "venv", "--help"],
    make: makePython,
  },
  {
    id: "go",
    title: `protoc-gen-go ${pinned("go/go.mod", "google.golang.org/protobuf")} and protoc-gen-go-grpc ${pinned("go/go.mod", "protoc-gen-go-grpc")}`,
    sequences: GRPC,
    tool: ["go", "version"],
    make: makeGo,
  },
];
