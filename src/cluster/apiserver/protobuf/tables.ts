/** The generated field tables of Kubernetes' protobuf messages, made ready for decoding when a message is first met. */
import { createRequire } from "node:module";
import { lazy } from "#api/meta/lazy.ts";

const SCALARS = ["string", "bool", "int32", "int64", "double", "bytes"] as const;
export type Scalar = (typeof SCALARS)[number];
/** Messages that stand for one JSON value of another shape. */
const WRAPPERS = ["quantity", "intOrString", "time", "microTime", "duration", "json", "strings"] as const;
export type Wrapper = (typeof WRAPPERS)[number];

export interface Field {
  readonly name: string;
  readonly container: "none" | "list" | "map";
  /** What its values are: one of these two, or else the message that `message` names. */
  readonly scalar: Scalar | undefined;
  readonly wrapper: Wrapper | undefined;
  readonly message: string;
  /** Its members stand in the parent (an embedded structure of Go). */
  readonly inline: boolean;
  /** A message of which one member is set; that member is the value. */
  readonly union: boolean;
  /** Zero is the same as absent. */
  readonly omitZero: boolean;
}

/** Fields of a message by their number. */
export type Message = ReadonlyMap<number, Field>;

interface Tables {
  readonly groups: Readonly<Record<string, string>>;
  /** Each field as `NUMBER NAME TYPE`, joined by `,`. */
  readonly messages: Readonly<Record<string, string>>;
}

const META = "meta.v1";

const loaded = lazy(() => {
  const tables = createRequire(import.meta.url)("./protobuf-tables.generated.json") as Tables;
  return { ...tables, ready: new Map<string, Message>() };
});

/** The name of the message that holds a kind, or `undefined` when it is not known. Options and statuses exist in every group. */
export function messageOfKind(apiVersion: string, kind: string): string | undefined {
  const { groups, messages } = loaded();
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/", 2) : ["", apiVersion];
  const own = Object.hasOwn(groups, group ?? "") && version === "v1" ? [groups[group ?? ""]] : [];
  return [...own, META].map((place) => `${place}.${kind}`).find((name) => Object.hasOwn(messages, name));
}

/** Throws `RangeError` for a name that no table has. */
export function messageNamed(name: string): Message {
  const { messages, ready } = loaded();
  let message = ready.get(name);
  if (!message) {
    const text = messages[name];
    if (text === undefined) throw new RangeError(`there is no message ${name}`);
    message = new Map(text.split(",").filter(Boolean).map(parseField));
    ready.set(name, message);
  }
  return message;
}

function parseField(text: string): [number, Field] {
  const parts = /^(\d+) (\S+) (\[\]|\{\})?([|^])?([^?]+)(\?)?$/.exec(text);
  if (!parts) throw new RangeError(`malformed field ${text}`);
  const [, number, name = "", container, mark, word = "", omitZero] = parts;
  return [
    Number(number),
    {
      name,
      container: container === "[]" ? "list" : container === "{}" ? "map" : "none",
      scalar: SCALARS.find((scalar) => scalar === word),
      wrapper: WRAPPERS.find((wrapper) => wrapper === word),
      message: word,
      inline: mark === "^",
      union: mark === "|",
      omitZero: omitZero !== undefined,
    },
  ];
}
