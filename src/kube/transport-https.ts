import type { ClusterAccess } from "./cluster-access.ts";
import { type HttpTransport, type HttpTransportOptions, httpTransport } from "./transport-http.ts";

type Limits = Pick<HttpTransportOptions, "connections" | "requestTimeoutMs" | "watchTimeoutMs">;

/**
 * To a Kubernetes API server, as HTTP to one on this machine in everything else. A certificate that the authority has not signed, or
 * that names another server, is a `TransportError`.
 */
export function httpsTransport(access: ClusterAccess, limits: Limits = {}): HttpTransport {
  const { server, authority, serverName, insecure, client, token } = access;
  return httpTransport({
    ...limits,
    origin: server,
    tls: {
      ...(authority !== undefined && { ca: authority }),
      ...(serverName !== undefined && { servername: serverName }),
      ...(insecure && { rejectUnauthorized: false }),
      ...(client && { cert: client.certificate, key: client.key }),
    },
    ...(token && { token }),
  });
}
