import { accessSync, constants, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import type { Command } from "commander";
import { imageName, readableBy } from "../arguments.ts";
import { CliError } from "../errors.ts";
import { changeImages, loadImages } from "../images.ts";
import { formatted, type OutputFormat, textTable } from "../output.ts";
import { imagesInUse } from "../run-images.ts";
import type { Session } from "../session.ts";

/** `images add|list|remove`: which command an image name stands for on this machine. */
export function addImages(program: Command, session: Session): void {
  const images = program.command("images").description("say which command an image name stands for on this machine");

  images
    .command("add")
    .description("map an image name to a command")
    .argument("<name>", "the image as manifests name it, with or without a tag", readableBy(imageName))
    .argument("<command...>", "program and arguments; $(PORT) is the server's port")
    .addHelpText(
      "after",
      `
Write -- before the command, and quote $(PORT) so that the shell leaves it alone:
  npx stadion images add registry.example.com/my-game -- ./MyServer --port '$(PORT)'`,
    )
    .action(async (name: string, command: string[]) => {
      await using connection = session.connect();
      const resolved = resolveCommand(command, session.path);
      await changeImages(connection.client, (map) => ({ ...map, [name]: { command: resolved, cwd: process.cwd() } }));
      session.terminal.out(`${name} now runs ${resolved.join(" ")}`);
    });

  images
    .command("list")
    .description("show the mapped images")
    .addOption(session.outputOption(["table", "json", "yaml"]))
    .addHelpText("after", "\nExamples:\n  npx stadion images list\n  npx stadion images list -o yaml")
    .action(async ({ output }: { output: OutputFormat }) => {
      await using connection = session.connect();
      const map = await imagesInUse(connection.client);
      if (output === "json" || output === "yaml")
        session.terminal.out(await formatted(map as unknown as Parameters<typeof formatted>[0], output));
      else if (Object.keys(map).length === 0)
        session.terminal.err("No images are mapped; the well-known simple game server is built in.");
      else
        session.terminal.out(
          textTable(
            ["IMAGE", "COMMAND"],
            Object.entries(map).map(([name, { command }]) => [name, command.join(" ")]),
          ),
        );
    });

  images
    .command("remove")
    .description("forget a mapping")
    .argument("<name>", "the image as it was added")
    .addHelpText("after", "\nExample:\n  npx stadion images remove registry.example.com/my-game")
    .action(async (name: string) => {
      await using connection = session.connect();
      if (!Object.hasOwn(await loadImages(connection.client), name))
        throw new CliError("Refused", `no image ${name} is mapped: "npx stadion images list" shows those that are`);
      await changeImages(connection.client, (map) =>
        Object.fromEntries(Object.entries(map).filter(([each]) => each !== name)),
      );
      session.terminal.out(`${name} is no longer mapped`);
    });
}

/**
 * Makes the program of a command absolute: a name is looked for in the folders of `path`. Throws `CliError` when it is no program that
 * can be run.
 */
export function resolveCommand(command: readonly string[], path: string): readonly string[] {
  const [program = "", ...args] = command;
  const isPath = program.includes("/");
  const found = isPath ? resolve(program) : findProgram(program, path);
  const fault = found === undefined ? `is in none of the folders of PATH: ${path}` : faultOf(found);
  if (fault) throw new CliError("Usage", `${found ?? program} ${fault}`);
  return [found ?? program, ...args];
}

const findProgram = (name: string, path: string): string | undefined =>
  path
    .split(delimiter)
    .map((folder) => resolve(folder, name))
    .find((file) => faultOf(file) === undefined);

/** Why a file is no program that can be run. */
function faultOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return "is not there";
  if (!stat.isFile()) return `is ${stat.isDirectory() ? "a folder" : "no file"}, not a program`;
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return "may not be executed: try chmod +x";
  }
}
