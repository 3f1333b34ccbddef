/** Makes the client programs of other languages, outside the repository: what it takes is large, and serves every checkout. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ROOT } from "#tests/harness/cluster.ts";
import { Program } from "#tests/harness/program.ts";

/** Takes steps as its last arguments. */
export type Command = readonly [file: string, ...args: string[]];

const FOLDER = join(import.meta.dirname, "clients");

const cache = (name: string): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "stadion", "conformance", name);

/** The build script of the crate `agones` asks for protoc, which another crate brings. */
export async function makeRust(): Promise<Command> {
  const cargo = (pkg: string, command: string, env = {}) =>
    output("cargo", [command, "--release", "--locked", "--quiet", "--package", pkg], {
      cwd: join(FOLDER, "rust"),
      env: { CARGO_TARGET_DIR: cache("rust"), ...env },
    });
  const [protoc = "", messages = ""] = (await cargo("protoc", "run")).split("\n");
  await cargo("client", "build", { PROTOC: protoc, PROTOC_INCLUDE: messages });
  return [join(cache("rust"), "release", "client")];
}

/** One virtual environment for each list of requirements. */
export async function makePython(): Promise<Command> {
  const list = join(FOLDER, "python", "requirements.txt");
  const digest = createHash("sha256").update(readFileSync(list)).digest("hex").slice(0, 12);
  const environment = cache(`python-${digest}`);
  const python = join(environment, "bin", "python");
  const finished = join(environment, "finished");
  if (!existsSync(finished)) {
    rmSync(environment, { recursive: true, force: true });
    await output("python3", ["-m", "venv", environment]);
    await output(python, ["-m", "pip", "install", "--quiet", "--no-deps", "--requirement", list]);
    writeFileSync(finished, "");
  }
  return [python, join(FOLDER, "python", "client.py")];
}

/** The messages are made of our own definitions, beside a copy of the program. */
export async function makeGo(): Promise<Command> {
  const folder = cache("go");
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, "pb"), { recursive: true, force: true });
  cpSync(join(FOLDER, "go"), folder, { recursive: true });
  const definitions = join(ROOT, "src", "proto");
  await output(
    join(ROOT, "node_modules", ".bin", "buf"),
    ["generate", definitions, `--path=${join(definitions, "agones")}`],
    { cwd: folder },
  );
  await output("go", ["build", "-o", "client", "."], { cwd: folder, env: { CGO_ENABLED: "0" } });
  return [join(folder, "client")];
}

/** What a command prints, however long a first build takes; it leaves the machine to others. */
async function output(file: string, args: readonly string[], options: ConstructorParameters<typeof Program>[2] = {}) {
  const { code, out, err } = await new Program("nice", ["-n", "10", file, ...args], options).ended;
  if (code !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${code}: ${err}${out}`);
  return out;
}
