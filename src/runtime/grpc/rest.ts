/**
 * The REST door: HTTP/1.1 with JSON in front of the very handlers that serve gRPC, with the routes, texts and JSON of
 * grpc-gateway (`google.api.http` rules in the descriptors say which). No call travels through a gRPC client.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import type { Clock } from "../clock.ts";
import { type Door, type DoorOptions, OpenSockets, openServer } from "./door.ts";
import type { BoundMethod, BoundMethods } from "./handlers.ts";
import { type Match, Router } from "./http-rule.ts";
import { jsonObjects } from "./json-sequence.ts";
import { messageFromJson, messageToJson, parseRequestJson } from "./message-json.ts";
import { MessageMemory } from "./partial-message.ts";
import { CallScope, readBody } from "./rest-call.ts";
import { requestMessage } from "./rest-request.ts";
import { HTTP_STATUS, RPC_CODES, RpcError, toRpcError } from "./rpc-error.ts";
import { WebSocketSpeaker, wantsWebSocket } from "./web-socket.ts";

/** As of gRPC: longer messages are refused. */
const MESSAGE_LIMIT = 4 * 1024 * 1024;

/** Longer than the ping interval of any client, so that a kept connection is never closed under a request. */
const KEEP_ALIVE_MS = 120_000;

/** Of an answer that the handler gave; what gRPC says of it comes back under a name of its own. */
const ANSWERED = { "Content-Type": "application/json", "Grpc-Metadata-Content-Type": "application/grpc" };

/** Answers a request before any route is looked at; false for one that it leaves alone. */
export type Page = (request: IncomingMessage, response: ServerResponse) => boolean;

type Found = Extract<Match, { kind: "found" }>;

interface RestOptions {
  readonly methods: BoundMethods;
  readonly page?: Page;
}

/** Opens listeners for a fixed set of services; the routes are compiled once and shared by all of them. */
export class RestDoors {
  readonly #router: Router;
  readonly #clock: Clock;

  constructor(services: readonly DescService[], clock: Clock) {
    this.#router = new Router(services);
    this.#clock = clock;
  }

  /** Rejects with `PortInUseError` when the port is taken. */
  async open({ methods, page, ...at }: DoorOptions & RestOptions): Promise<Door> {
    const server = createServer({
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: 0,
      noDelay: true,
      shouldUpgradeCallback: wantsWebSocket,
    });
    const memory = new MessageMemory();
    server.on("request", (request, response) => {
      if (!page?.(request, response)) void this.#serve(methods, memory, request, response);
    });
    server.on("upgrade", (request, socket, head) => void this.#converse(methods, request, socket, head));
    const sockets = new OpenSockets(this.#clock);
    server.on("connection", (socket) => sockets.add(socket, undefined));
    const port = await openServer(server, at, () => server.closeIdleConnections());
    return { port, close: () => sockets.close(server) };
  }

  async #serve(
    methods: BoundMethods,
    memory: MessageMemory,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const scope = new CallScope(response, this.#clock, memory);
    try {
      const { path, query } = targetOf(request);
      const verb = request.method ?? "GET";
      const match = this.#router.match(verb, path);
      if (isBodyless(request) && takesStream(match)) {
        response.writeHead(400).end();
        return;
      }
      const route = found(match);
      scope.limit(request.headers["grpc-timeout"]);
      await answer(methods, route, query, request, response, scope);
    } catch (error) {
      refuse(response, error);
    } finally {
      scope.end();
    }
  }

  /** A WebSocket in place of the answer: each of its lines is a text. `?method=` stands for another verb than GET. */
  async #converse(methods: BoundMethods, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const speaker = WebSocketSpeaker.accept(request, socket, head, this.#clock);
    if (!speaker) return;
    let isStream = false;
    try {
      const { path, query } = targetOf(request);
      const { route, variables } = found(this.#router.match(query.get("method") ?? "GET", path));
      const bound = boundOf(methods, route.method);
      if (bound.kind === "client_streaming")
        throw new RpcError("Unimplemented", "this call cannot be made through a WebSocket");
      const message = requestMessage(route, { variables, query, body: "" });
      if (bound.kind === "unary") {
        const result = await bound.call(message, { signal: speaker.signal });
        await speaker.send(JSON.stringify(messageToJson(route.method.output, result)));
      } else {
        isStream = true;
        for await (const line of streamResults(bound, route.method, message, speaker.signal)) await speaker.send(line);
      }
    } catch (error) {
      const refusal = errorBody(toRpcError(error));
      await speaker.send(JSON.stringify(isStream ? { error: refusal } : refusal));
    } finally {
      speaker.close();
    }
  }
}

function found(match: Match): Found {
  if (match.kind === "unknown") throw new RpcError("NotFound", "Not Found");
  if (match.kind === "wrong-verb") throw new RpcError("Unimplemented", "Method Not Allowed");
  return match;
}

function boundOf(methods: BoundMethods, method: DescMethod): BoundMethod {
  const bound = methods.get(method);
  if (!bound) throw new RpcError("Unimplemented", `${method.parent.typeName}/${method.name} is not served`);
  return bound;
}

async function answer(
  methods: BoundMethods,
  { route, variables }: Found,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
  scope: CallScope,
): Promise<void> {
  const { method } = route;
  const bound = boundOf(methods, method);
  if (bound.kind === "client_streaming") {
    const pings = messagesOf(method, request, scope.memory);
    return send(response, method, await scope.bounded(bound.call(pings, scope)));
  }
  const body = await readBody(request, MESSAGE_LIMIT, scope.memory);
  const message = requestMessage(route, { variables, query, body });
  if (bound.kind === "unary") return send(response, method, await scope.bounded(bound.call(message, scope)));
  await stream(bound, method, message, response, scope);
}

async function* messagesOf(
  method: DescMethod,
  request: IncomingMessage,
  memory: MessageMemory,
): AsyncGenerator<Message> {
  for await (const text of jsonObjects(request, MESSAGE_LIMIT, memory))
    yield messageFromJson(method.input, parseRequestJson(text));
}

function send(response: ServerResponse, method: DescMethod, message: Message): void {
  const body = JSON.stringify(messageToJson(method.output, message));
  response
    .writeHead(200, {
      ...ANSWERED,
      "Content-Length": Buffer.byteLength(body),
    })
    .end(body);
}

/** The answers of a server stream as JSON texts; what any door that speaks JSON sends, each framed in its own way. */
async function* streamResults(
  bound: Extract<BoundMethod, { kind: "server_streaming" }>,
  method: DescMethod,
  message: Message,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const result of bound.call(message, { signal }))
    yield JSON.stringify({ result: messageToJson(method.output, result) });
}

async function stream(
  bound: Extract<BoundMethod, { kind: "server_streaming" }>,
  method: DescMethod,
  message: Message,
  response: ServerResponse,
  scope: CallScope,
): Promise<void> {
  try {
    for await (const line of streamResults(bound, method, message, scope.signal)) {
      if (scope.signal.aborted) break;
      if (!response.headersSent) response.writeHead(200, ANSWERED);
      // A slow reader holds back the handler, not memory.
      if (!response.write(`${line}\n`)) await scope.drained();
    }
  } catch (error) {
    if (response.destroyed) return;
    const refusal = toRpcError(error);
    if (!response.headersSent) response.writeHead(HTTP_STATUS[refusal.code], { "Content-Type": "application/json" });
    response.write(`${JSON.stringify({ error: errorBody(refusal) })}\n`);
  }
  response.end();
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.destroyed || response.headersSent) {
    response.destroy();
    return;
  }
  const refusal = toRpcError(error);
  // What is left of the request is not read: the connection ends with the answer, and with it whoever still waits for more.
  const { req: request } = response;
  const unread = !request.complete && !isBodyless(request);
  if (unread) response.once("close", () => request.destroy());
  response
    .writeHead(HTTP_STATUS[refusal.code], {
      "Content-Type": "application/json",
      ...(unread && { Connection: "close" }),
    })
    .end(JSON.stringify(errorBody(refusal)));
}

const errorBody = ({ code, message }: RpcError) => ({ code: RPC_CODES[code], message, details: [] });

function targetOf(request: IncomingMessage): { path: string; query: URLSearchParams } {
  // Proxies are sent the whole address, and may pass it on.
  const target = (request.url ?? "/").replace(/^https?:\/\/[^/?]*/i, "");
  const mark = target.indexOf("?");
  try {
    return {
      path: decodeURIComponent(mark < 0 ? target : target.slice(0, mark)),
      query: new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1)),
    };
  } catch (error) {
    throw new RpcError("InvalidArgument", "the path is not percent-encoded UTF-8", { cause: error });
  }
}

const isBodyless = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;

/** True when the path belongs to a client stream, whatever the verb. */
function takesStream(match: Match): boolean {
  const routes = match.kind === "found" ? [match.route] : match.kind === "wrong-verb" ? match.routes : [];
  return routes.some(({ method }) => method.methodKind === "client_streaming");
}
