/** The API server behind real sockets, for tests. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { silentLogger } from "#runtime/logger.ts";
import { createHttpServer, type HttpServer } from "../http-server.ts";
import { startTestServer, type TestOptions, type TestServer } from "./test-server.ts";

export const TOKEN = "correct-horse";

export interface HttpDoor {
  readonly server: TestServer;
  readonly http: HttpServer;
  /** Base address of the TCP port. */
  readonly url: string;
  readonly port: number;
  readonly socketPath: string;
  readonly folder: string;
}

/** A TCP port and a unix socket in a fresh folder; all gone with the test. */
export async function openHttpDoor(options: TestOptions = {}): Promise<HttpDoor> {
  const server = await startTestServer(options);
  const folder = await mkdtemp(join(tmpdir(), "stadion-api-"));
  const socketPath = join(folder, "api.sock");
  const http = createHttpServer(server.handler, { token: TOKEN, log: silentLogger });
  onTestFinished(async () => {
    await http.close();
    await rm(folder, { recursive: true, force: true });
  });
  const port = await http.listenTcp({ host: "127.0.0.1", port: 0 });
  await http.listenSocket(socketPath);
  return { server, http, url: `http://127.0.0.1:${port}`, port, socketPath, folder };
}
