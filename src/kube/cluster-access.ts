/** How a Kubernetes API server is reached and who asks: read from a kubeconfig, or from what a pod is given. */

/** The API server and the credentials for it. PEM texts. */
export interface ClusterAccess {
  /** Base URL; a path in it stands in front of all others. */
  readonly server: string;
  /** Of the server's certificate; absent: the system's authorities. */
  readonly authority?: string;
  /** The name in the server's certificate, where it is not the host of `server`. */
  readonly serverName?: string;
  /** Takes any certificate. */
  readonly insecure?: boolean;
  readonly client?: { readonly certificate: string; readonly key: string };
  /** The bearer token, looked up for each request: tokens of pods are renewed. */
  readonly token?: () => Promise<string>;
  /** The namespace that commands without one mean; `default` where nothing is said. */
  readonly namespace: string;
}

/** No usable access: says which file, and what is missing or not supported. */
export class AccessError extends Error {
  override readonly name = "AccessError";
  readonly code = "NoClusterAccess";
}
