/** Plain HTTP requests to a cluster: over its unix socket, or over the port and with the secrets that its kubeconfig names. */
import { readFileSync } from "node:fs";
import { type RequestOptions as HttpOptions, request as http, type IncomingMessage } from "node:http";
import { type RequestOptions as HttpsOptions, request as https } from "node:https";
import { text } from "node:stream/consumers";
import { checkServerIdentity as checkIdentity, type PeerCertificate } from "node:tls";

export interface ApiRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface ApiAnswer {
  readonly code: number;
  readonly body: unknown;
}

export const askSocket = (socketPath: string, request: ApiRequest): Promise<ApiAnswer> =>
  exchange(http, { socketPath }, request);

export interface Kubeconfig {
  readonly server: string;
  readonly token: string;
  readonly authority: string | undefined;
}

interface KubeconfigFile {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly "certificate-authority-data"?: string } },
  ];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** Reads a kubeconfig as `start` writes it. */
export function readKubeconfig(file: string): Kubeconfig {
  const { clusters, users } = JSON.parse(readFileSync(file, "utf8")) as KubeconfigFile;
  const { server, "certificate-authority-data": authority } = clusters[0].cluster;
  return {
    server,
    token: users[0].user.token,
    authority: authority === undefined ? undefined : Buffer.from(authority, "base64").toString(),
  };
}

/** To the TCP port, with nothing but the given headers: the token is the caller's to send. */
export function askPort({ server, authority }: Kubeconfig, request: ApiRequest): Promise<ApiAnswer> {
  const { protocol, hostname, port } = new URL(server);
  // The name that is checked is the one that is called, whatever the Host header says.
  const checkServerIdentity = (_: string, certificate: PeerCertificate) => checkIdentity(hostname, certificate);
  const where = { hostname, port, ca: authority, checkServerIdentity };
  return exchange(protocol === "https:" ? https : http, where, request);
}

async function exchange(
  send: typeof http,
  where: HttpOptions & Pick<HttpsOptions, "ca" | "checkServerIdentity">,
  { method = "GET", path, headers, body }: ApiRequest,
): Promise<ApiAnswer> {
  const content = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    send({ ...where, method, path, agent: false, headers: { "content-type": "application/json", ...headers } }, resolve)
      .once("error", reject)
      .end(content);
  });
  const answer = await text(response);
  return { code: response.statusCode ?? 0, body: isJson(response) ? JSON.parse(answer) : answer };
}

const isJson = ({ headers }: IncomingMessage): boolean => /json/.test(headers["content-type"] ?? "");
