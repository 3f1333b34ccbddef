/** A kubeconfig for a token and the authority (PEM) behind the server's certificate. */
export function kubeconfigText(server: string, token: string, authority: string): string {
  const named = (member: string, value: object) => [{ name: "rig", [member]: value }];
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: named("cluster", { server, "certificate-authority-data": Buffer.from(authority).toString("base64") }),
    users: named("user", { token }),
    contexts: named("context", { cluster: "rig", user: "rig", namespace: "default" }),
    "current-context": "rig",
  });
}
