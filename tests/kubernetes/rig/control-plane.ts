/** A real Kubernetes API server over a real etcd, in a folder of its own. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { systemClock as clock } from "#runtime/clock.ts";
import { createAuthority } from "#runtime/tls-authority.ts";
import { freePort } from "#tests/harness/free-port.ts";
import type { Binaries } from "./build.ts";
import { Child, waitFor } from "./child.ts";
import { kubeconfigText } from "./kubeconfig.ts";

export interface ControlPlane {
  /** Administrator by token. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";
const READY_WITHIN_MS = 90_000;
const MOST_PORTS = 5;

/** Starts both and waits until the API server is ready. What they log stands in the folder. */
export async function startControlPlane(binaries: Binaries, folder: string): Promise<ControlPlane> {
  const secrets = await writeSecrets(join(folder, "pki"));
  const etcd = new Child("etcd", binaries.etcd, etcdFlags(folder), folder);
  let found: { readonly apiServer: Child; readonly port: number };
  try {
    found = await startApiServer(binaries, folder, { secrets, etcd });
  } catch (error) {
    await etcd.stop();
    throw error;
  }
  const { apiServer, port } = found;
  const kubeconfig = join(folder, "kubeconfig");
  const text = kubeconfigText(`https://${HOST}:${port}`, secrets.token, secrets.authority);
  writeFileSync(kubeconfig, text, { mode: 0o600 });
  return {
    kubeconfig,
    stop: async () => {
      await apiServer.stop();
      await etcd.stop();
    },
  };
}

/** Ready, on a port that was free: somebody else may take it before the server does, and then another one is tried. */
async function startApiServer(
  binaries: Binaries,
  folder: string,
  { secrets, etcd }: { readonly secrets: Secrets; readonly etcd: Child },
): Promise<{ readonly apiServer: Child; readonly port: number }> {
  for (let left = MOST_PORTS; ; left--) {
    const port = await freePort();
    const apiServer = new Child("kube-apiserver", binaries.apiServer, apiServerFlags(folder, port), folder);
    try {
      const isReady = async () => ((await readyz({ port, ...secrets })) === 200 ? true : undefined);
      await waitFor(isReady, { children: [etcd, apiServer], within: READY_WITHIN_MS });
      return { apiServer, port };
    } catch (error) {
      await apiServer.stop();
      if (left === 1 || !apiServer.output.includes("address already in use")) throw error;
    }
  }
}

interface Secrets {
  readonly token: string;
  /** PEM. */
  readonly authority: string;
}

/** Certificates, keys and the token, each in its file. */
async function writeSecrets(folder: string): Promise<Secrets> {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content, { mode: 0o600 });
  const authority = await createAuthority({ commonName: "kubernetes", clock });
  const server = await authority.issue({ commonName: "kube-apiserver", names: ["localhost"], addresses: [HOST] });
  const frontProxy = await createAuthority({ commonName: "front-proxy", clock });
  const proxyClient = await frontProxy.issue({ commonName: "front-proxy-client" });
  const serviceAccounts = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const token = randomBytes(24).toString("base64url");
  write("ca.crt", authority.certificate);
  write("server.crt", server.certificate);
  write("server.key", server.key);
  write("front-proxy-ca.crt", frontProxy.certificate);
  write("front-proxy.crt", proxyClient.certificate);
  write("front-proxy.key", proxyClient.key);
  write("service-accounts.key", serviceAccounts.privateKey);
  write("service-accounts.pub", serviceAccounts.publicKey);
  write("tokens.csv", `${token},admin,admin,"system:masters"\n`);
  return { token, authority: authority.certificate };
}

/** A socket in the folder: no port to choose, and none that somebody else could have. */
const etcdSocket = (folder: string): string => `unix://${join(folder, "etcd.sock")}`;

function etcdFlags(folder: string): readonly string[] {
  // Neither peers nor other clients look for it: the address is only a name.
  const nowhere = `http://${HOST}:1`;
  return [
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${etcdSocket(folder)}`,
    `--advertise-client-urls=${nowhere}`,
    `--listen-peer-urls=http://${HOST}:0`,
    `--initial-advertise-peer-urls=${nowhere}`,
    `--initial-cluster=default=${nowhere}`,
    "--log-level=warn",
    // Nothing here outlives the tests.
    "--unsafe-no-fsync",
  ];
}

function apiServerFlags(folder: string, port: number): readonly string[] {
  const pki = (name: string) => join(folder, "pki", name);
  return [
    `--etcd-servers=${etcdSocket(folder)}`,
    `--bind-address=${HOST}`,
    `--secure-port=${port}`,
    "--endpoint-reconciler-type=none",
    "--service-cluster-ip-range=10.96.0.0/16",
    `--tls-cert-file=${pki("server.crt")}`,
    `--tls-private-key-file=${pki("server.key")}`,
    `--client-ca-file=${pki("ca.crt")}`,
    `--token-auth-file=${pki("tokens.csv")}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${pki("service-accounts.pub")}`,
    `--service-account-signing-key-file=${pki("service-accounts.key")}`,
    `--requestheader-client-ca-file=${pki("front-proxy-ca.crt")}`,
    "--requestheader-allowed-names=front-proxy-client",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${pki("front-proxy.crt")}`,
    `--proxy-client-key-file=${pki("front-proxy.key")}`,
    // No controller here makes the service accounts that Pods would be refused without; the other two complete Pods and Nodes in ways
    // that the embedded server, as documented, does not.
    "--disable-admission-plugins=ServiceAccount,DefaultTolerationSeconds,Priority,TaintNodesByCondition",
    // Who makes owners wait for what they own must be allowed to.
    "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
    "--profiling=false",
  ];
}

function readyz({ port, token, authority }: Secrets & { readonly port: number }): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    request({ host: HOST, port, path: "/readyz", headers, ca: authority, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", () => resolve(undefined))
      .end();
  });
}
