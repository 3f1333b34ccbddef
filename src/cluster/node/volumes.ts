import type { Container } from "#api/core/pod.ts";

/** Where a service account's token would be: mounting something over it hides a token that a process node never puts there. */
const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Says which of a container's volumes it will miss: processes share the machine's file system. `undefined`: none. */
export function unmountedVolumes({ volumeMounts = [] }: Container): string | undefined {
  const missing = volumeMounts.filter(({ mountPath }) => mountPath.replace(/\/+$/, "") !== TOKEN_PATH);
  if (missing.length === 0) return undefined;
  const list = missing.map(({ name, mountPath }) => `"${name}" at ${mountPath}`).join(", ");
  return `not mounted, for a process has no file system of its own: ${list}`;
}
