/** A way to a server that can be cut and mended: the server goes on, its clients lose it. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export class CutProxy implements AsyncDisposable {
  readonly #target: number;
  readonly #server = createServer((socket) => this.#accept(socket));
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(target: number) {
    this.#target = target;
  }

  /** To a port of this machine. */
  static async open(target: number): Promise<CutProxy> {
    const proxy = new CutProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Breaks all connections, and every new one. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  #accept(socket: Socket): void {
    if (this.#isCut) {
      socket.destroy();
      return;
    }
    const onward = connect(this.#target, "127.0.0.1");
    for (const each of [socket, onward]) {
      this.#sockets.add(each);
      each.on("error", () => {});
      each.on("close", () => {
        this.#sockets.delete(each);
        socket.destroy();
        onward.destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}
