/** Games over plain HTTP/2, with a connection each, so that next to nothing is spent on the client's side. */
import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";

/** The frame of a message without fields. */
const EMPTY = Buffer.alloc(5);

export class PlayedGame {
  readonly #session: ClientHttp2Session;
  #health: ClientHttp2Stream | undefined;

  private constructor(session: ClientHttp2Session) {
    this.#session = session;
  }

  static async connect(port: number): Promise<PlayedGame> {
    const session = connect(`http://127.0.0.1:${port}`);
    await once(session, "connect");
    return new PlayedGame(session);
  }

  /** Opens a Watch stream and waits for its first message, and a Health stream with its first ping. */
  async openStreams(): Promise<void> {
    const watch = this.#request("WatchGameServer");
    watch.end(EMPTY);
    await once(watch, "data");
    watch.resume();
    this.ping();
  }

  /** One message on the Health stream. Resolves when it was handed to the system. */
  ping(): Promise<void> {
    this.#health ??= this.#request("Health");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#health.write(EMPTY, (error) => (error ? reject(error) : resolve()));
    return promise;
  }

  /** A whole call with an empty message, until it is answered; of Health, one ping. */
  async call(method: "Health" | "Ready" | "Allocate"): Promise<void> {
    const call = this.#request(method);
    call.end(EMPTY);
    const [trailers] = await once(call.resume(), "trailers");
    if (trailers["grpc-status"] !== "0") throw new Error(`${method} was refused: ${trailers["grpc-message"]}`);
  }

  close(): void {
    this.#session.destroy();
  }

  #request(name: string): ClientHttp2Stream {
    return this.#session.request({
      ":method": "POST",
      ":path": `/agones.dev.sdk.SDK/${name}`,
      "content-type": "application/grpc",
      te: "trailers",
    });
  }
}
