/** The settings of a program in `src/bin`: the members of its `flags`, which `readConfig` reads. */
import type { CallExpression, Expression } from "oxc-parser";
import type { Source } from "./sources.ts";

export interface ProgramFlag {
  readonly name: string;
  /** What a value is: `text`, `port`, `one of a, b`. */
  readonly kind: string;
  /** As text; absent when there is none, or when it is computed. */
  readonly default?: string;
  readonly help: string;
}

/** In the order of the source; none for a program that has no `flags`. */
export function programFlags(source: Source): readonly ProgramFlag[] {
  const flags: ProgramFlag[] = [];
  source.visit({
    VariableDeclarator: ({ id, init }) => {
      if (id.type !== "Identifier" || id.name !== "flags" || init?.type !== "ObjectExpression") return;
      for (const member of init.properties) {
        if (member.type !== "Property" || member.value.type !== "CallExpression")
          throw new Error(`${source.path}: a flag that is no call of an option`);
        const name =
          member.key.type === "Literal"
            ? String(member.key.value)
            : source.text.slice(member.key.start, member.key.end);
        flags.push(flagOf(name, member.value));
      }
    },
  });
  return flags;
}

function flagOf(name: string, call: CallExpression): ProgramFlag {
  const about = call.arguments.at(-1);
  const members = new Map<string, Expression>();
  if (about?.type === "ObjectExpression")
    for (const each of about.properties)
      if (each.type === "Property" && each.key.type === "Identifier") members.set(each.key.name, each.value);
  const literal = (member: string): string | undefined => {
    const value = members.get(member);
    return value?.type === "Literal" ? String(value.value) : undefined;
  };
  const [least, most] = [literal("min"), literal("max")];
  const words = call.arguments[0]?.type === "ArrayExpression" ? call.arguments[0].elements : [];
  const callee = call.callee.type === "Identifier" ? call.callee.name : "";
  const kind =
    callee === "oneOf"
      ? `one of ${words.map((each) => (each?.type === "Literal" ? String(each.value) : "")).join(", ")}`
      : [callee, least && `of at least ${least}`, most && `of at most ${most}`].filter(Boolean).join(" ");
  const value = literal("default");
  const shown = callee === "duration" && value ? `${value}ms` : value;
  return { name, kind, ...(shown && { default: shown }), help: literal("help") ?? "" };
}
