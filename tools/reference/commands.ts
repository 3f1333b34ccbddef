/** The commands of `stadion` with arguments and options, as the program itself describes them. */
import type { Command, Option } from "commander";
import { createProgram } from "#cli/program.ts";
import { code, table } from "./markdown.ts";

export function stadionProgram(): Promise<Command> {
  const absent = () => Promise.reject(new Error("no command is run here"));
  const over = AbortSignal.abort();
  return createProgram({
    terminal: { out: () => {}, err: () => {} },
    interrupted: over,
    hurried: over,
    unread: over,
    divertSignals: () => () => {},
    installation: {
      version: "",
      controlPlane: "",
      nodeAgent: "",
      agentBuild: "",
      sdkServer: "",
      quickStart: "",
      compileCache: "",
    },
    defaultDataDir: ".stadion",
    agentAt: () => ({ identity: absent, containers: absent, stop: absent }),
    path: "",
  });
}

/** Every command that does something, with its full name: `images add`. */
function leaves(command: Command, prefix = ""): readonly (readonly [name: string, command: Command])[] {
  return command.commands.flatMap((each) => {
    const name = `${prefix}${each.name()}`;
    return each.commands.length > 0 ? leaves(each, `${name} `) : [[name, each] as const];
  });
}

/** A section a command, the options of all commands first. */
export function commandReference(program: Command): string {
  const sections = leaves(program).map(([name, command]) => {
    const parameters = command.registeredArguments.map((each) => {
      const shown = each.variadic ? `${each.name()}...` : each.name();
      return [code(each.required ? `<${shown}>` : `[${shown}]`), "", each.description];
    });
    return [
      `### \`stadion ${name}\``,
      sentence(command.description()),
      table(["Option", "Default", "Meaning"], [...parameters, ...command.options.map(optionRow)]),
    ].join("\n\n");
  });
  const common = table(["Option", "Default", "Meaning"], program.options.map(optionRow));
  return [`### Every command\n\n${common}`, ...sections].join("\n\n");
}

function optionRow({ flags, defaultValue, description, argChoices, mandatory, negate }: Option): readonly string[] {
  const choices = argChoices ? `: ${argChoices.map(code).join(", ")}` : "";
  const shown = defaultValue === undefined || negate ? "" : code(String(defaultValue));
  return [code(flags), mandatory ? "required" : shown, `${description}${choices}`];
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
