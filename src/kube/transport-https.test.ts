import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { createAuthority } from "#runtime/tls-authority.ts";
import { TransportError } from "./transport.ts";
import { httpsTransport } from "./transport-https.ts";

const authority = await createAuthority({ commonName: "ours", clock: systemClock });
const other = await createAuthority({ commonName: "another", clock: systemClock });
const certificate = await authority.issue({ commonName: "api", names: ["api.example"], addresses: ["127.0.0.1"] });
const client = await authority.issue({ commonName: "ann", organization: "system:masters" });

interface Seen {
  readonly path: string | undefined;
  readonly token: string | undefined;
  readonly user: string | undefined;
}

/** A server that tells who asked. */
async function serve(options: ServerOptions = {}): Promise<string> {
  const server = createServer(
    { key: certificate.key, cert: certificate.certificate, ...options },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      const seen: Seen = {
        path: request.url,
        token: request.headers.authorization,
        user: subject?.CN as string | undefined,
      };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ seen }));
    },
  );
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function asks(access: Parameters<typeof httpsTransport>[0]): Promise<Seen> {
  const transport = httpsTransport(access);
  onTestFinished(() => transport.close());
  const answer = await transport.exchange({ method: "GET", path: "/version" });
  return (answer as unknown as { seen: Seen }).seen;
}

const namespace = "default";

test("comes with the client's certificate and the token of the moment, below the server's path", async () => {
  const server = await serve({ requestCert: true, ca: authority.certificate, rejectUnauthorized: true });
  let tokens = 0;
  const seen = await asks({
    server: `${server}/clusters/a/`,
    authority: authority.certificate,
    client: { certificate: client.certificate, key: client.key },
    token: async () => `token-${++tokens}`,
    namespace,
  });
  expect(seen).toEqual({ path: "/clusters/a/version", token: "Bearer token-1", user: "ann" });
});

test("trusts the authority alone, and the server's own name", async () => {
  const server = await serve();
  await expect(asks({ server, authority: other.certificate, namespace })).rejects.toThrow(TransportError);
  await expect(asks({ server, namespace })).rejects.toThrow(TransportError);
  await expect(
    asks({ server, authority: authority.certificate, serverName: "elsewhere.example", namespace }),
  ).rejects.toThrow(TransportError);
  expect(await asks({ server, authority: authority.certificate, serverName: "api.example", namespace })).toMatchObject({
    path: "/version",
  });
});

test("takes any certificate when it is told to", async () => {
  expect(await asks({ server: await serve(), insecure: true, namespace })).toMatchObject({ path: "/version" });
});

test("a token that cannot be read is a TransportError with its cause", async () => {
  const token = () => Promise.reject(new Error("the file is gone"));
  const error = await asks({ server: await serve(), insecure: true, token, namespace }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(TransportError);
  expect((error as Error).cause).toMatchObject({ message: "the file is gone" });
});
