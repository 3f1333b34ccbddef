/** What stands between an API server and the Pods of a Service: new connections go to Pods that are ready, open ones stay where they are. */
import { once } from "node:events";
import { get } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { systemClock as clock } from "#runtime/clock.ts";

/** A Pod's ports on this machine. */
export interface Endpoint {
  readonly port: number;
  /** Where it answers `/ready`. */
  readonly httpPort: number;
}

const PROBE_EVERY_MS = 200;

export class RigService implements AsyncDisposable {
  readonly #endpoints: { readonly endpoint: Endpoint; ready: boolean }[] = [];
  readonly #end = new AbortController();
  #next = 0;
  readonly #server = createServer((socket) => {
    const ready = this.#endpoints.filter((each) => each.ready);
    const chosen = ready[this.#next++ % ready.length];
    if (!chosen) return void socket.destroy();
    const onward = connect(chosen.endpoint.port, "127.0.0.1");
    for (const each of [socket, onward]) {
      each.on("error", () => {});
      each.on("close", () => {
        socket.destroy();
        onward.destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
  });

  static async open(): Promise<RigService> {
    const service = new RigService();
    service.#server.listen(0, "127.0.0.1");
    await once(service.#server, "listening");
    return service;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** One that is ready. */
  add(endpoint: Endpoint): void {
    const entry = { endpoint, ready: true };
    this.#endpoints.push(entry);
    void this.#probe(entry);
  }

  async #probe(entry: { readonly endpoint: Endpoint; ready: boolean }): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      entry.ready = await isReady(entry.endpoint);
      await clock.sleep(PROBE_EVERY_MS, signal).catch(() => {});
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    this.#server.close();
  }
}

const isReady = ({ httpPort }: Endpoint): Promise<boolean> =>
  new Promise((resolve) => {
    get({ host: "127.0.0.1", port: httpPort, path: "/ready", agent: false }, (response) => {
      resolve(response.resume().statusCode === 200);
    }).on("error", () => resolve(false));
  });
