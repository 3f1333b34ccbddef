import { type DescMessage, type DescMethod, isFieldSet, type Message } from "@bufbuild/protobuf";
import { GameServerSchema } from "#proto/gen/agones/dev/sdk/sdk_pb.ts";
import { messageToJson } from "#runtime/grpc/message-json.ts";
import type { Logger } from "#runtime/logger.ts";
import { fieldWords } from "./readable-log.ts";
import type { CallListener } from "./told-methods.ts";

/**
 * A line for each call: `UpdateCounter name=rooms countDiff=1 → name=rooms count=2 capacity=10`. Of what repeats
 * itself, health pings and messages of a watch, the first ping is told; the rest only at `debug`.
 */
export function callLog(log: Logger): CallListener {
  let pinged = false;
  const line = (method: DescMethod, request: Message | undefined): string =>
    [method.name, ...(request ? wordsOf(method.input, request, true) : [])].join(" ");
  return {
    called: (method, request) => {
      if (method.methodKind === "server_streaming") log.info({}, line(method, request));
      if (method.methodKind === "client_streaming") log.debug({}, `${method.name} begins`);
    },
    streamed: (method, message) => {
      if (method.methodKind === "server_streaming") {
        log.debug({}, `${method.name} → ${wordsOf(method.output, message).join(" ")}`);
        return;
      }
      if (pinged) log.debug({}, method.name);
      else log.info({}, `${method.name}: the first ping; later ones are told at log level debug`);
      pinged = true;
    },
    answered: (method, request, answer) => {
      if (method.methodKind !== "unary") {
        log.debug({}, `${method.name} ends`);
        return;
      }
      const words = answer ? wordsOf(method.output, answer) : [];
      log.info({}, `${line(method, request)}${words.length > 0 ? ` → ${words.join(" ")}` : ""}`);
    },
    refused: (method, request, { code, message }) => {
      if (code === "Canceled") log.debug({}, `${method.name} ends: the client has gone`);
      else log.warn({ code }, `${line(method, request)} refused: ${message}`);
    },
  };
}

/** The fields of a message, those within its only message standing for it; of a GameServer what changes most. */
function wordsOf(type: DescMessage, message: Message, onlySet = false): readonly string[] {
  const [first, ...others] = type.fields;
  const inner =
    others.length === 0 && first?.fieldKind === "message" ? (message as Fields)[first.localName] : undefined;
  if (inner && first?.message) return wordsOf(first.message, inner as Message, onlySet);
  const shown = type.fields.filter((field) => !onlySet || isFieldSet(message, field)).map(({ name }) => name);
  const fields = messageToJson(type, message) as Readonly<Record<string, unknown>>;
  if (type.typeName !== GameServerSchema.typeName)
    return fieldWords(
      Object.fromEntries(shown.flatMap((name) => (fields[name] === null ? [] : [[name, fields[name]]]))),
    );
  const { name } = fields.object_meta as { name: string };
  const { state } = fields.status as { state: string };
  return fieldWords({ name, state });
}

type Fields = Message & Readonly<Record<string, unknown>>;
