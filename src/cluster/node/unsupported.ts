import type { Container } from "#api/core/pod.ts";

/** Where a service account's token would be: mounting something over it hides a token that a process node never puts there. */
const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Says what a container asks for and does not get, because processes share the machine. Empty when it gets everything. */
export function unsupportedParts(container: Container): readonly string[] {
  const { volumeMounts = [], livenessProbe, readinessProbe, startupProbe } = container;
  const volumes = volumeMounts
    .filter(({ mountPath }) => mountPath.replace(/\/+$/, "") !== TOKEN_PATH)
    .map(({ name, mountPath }) => `volume "${name}" at ${mountPath} (a process has no file system of its own)`);
  const probes = Object.entries({ livenessProbe, readinessProbe, startupProbe })
    .filter(([, probe]) => probe && !probe.httpGet && !probe.tcpSocket)
    .map(([name]) => `${name} (only httpGet and tcpSocket are tried; it counts as healthy)`);
  return [...volumes, ...probes];
}
