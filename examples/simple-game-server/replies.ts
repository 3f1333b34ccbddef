/** What the game server answers its text commands with. */
import type { SdkClient } from "./sdk-client.ts";

export interface CommandContext {
  readonly sdk: SdkClient;
  /** No more signs of life from now on. */
  stopPings(): void;
  /** Logs every change of the game server. */
  watch(): void;
  exit(code: number): never;
}

/** What is sent back: as it is, with `ACK: ` in front, or with `ERROR: `. */
export interface Reply {
  readonly type: "acknowledge" | "plain" | "error";
  readonly text: string;
}

/** `args` are the words after the command, `text` is all of it. A failure of the SDK that it throws ends the game server. */
export type Command = (args: readonly string[], text: string, context: CommandContext) => Promise<Reply> | Reply;

export const acknowledge = (text: string): Reply => ({ type: "acknowledge", text });
export const plain = (text: string): Reply => ({ type: "plain", text });
export const refuse = (text: string): Reply => ({ type: "error", text });

/** A command that needs at least `count` words; what stands after them is passed over. */
export const withWords =
  <Words extends readonly string[]>(
    name: string,
    count: Words["length"],
    command: (words: Words, context: CommandContext, text: string) => Promise<Reply>,
  ): Command =>
  (args, text, context) =>
    args.length < count
      ? refuse(`Invalid ${name}, should have ${count} argument${count === 1 ? "" : "s"}`)
      : command(args.slice(0, count) as unknown as Words, context, text);

/** A text that is no integer, told as Go tells it. */
class NumberError extends Error {
  override readonly name = "NumberError";
  readonly code = "InvalidNumber";
}

const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n];

/** An int64 in decimal digits. `by` is the function of Go whose words are used. Throws with them. */
export function integer(text: string, by: "Atoi" | "ParseInt"): bigint {
  const fault = (why: string) => new NumberError(`strconv.${by}: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^[-+]?\d+$/.test(text)) throw fault("invalid syntax");
  const value = BigInt(text.replace("+", ""));
  if (value < LEAST || value > MOST) throw fault("value out of range");
  return value;
}

/** The reply, or what went wrong as one. */
export async function orRefusal(reply: () => Promise<Reply>, refusal?: string): Promise<Reply> {
  try {
    return await reply();
  } catch (error) {
    return refuse(refusal ?? (error as Error).message);
  }
}
