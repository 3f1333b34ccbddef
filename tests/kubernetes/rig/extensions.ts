/** Our extensions program in front of the real API server, registered there as an installation registers it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { featureGates } from "#api/agones/feature-gates.ts";
import { buildCustomResourceDefinitions } from "#api/definitions/crds.ts";
import { type JsonObject, stringifyJson } from "#api/meta/json.ts";
import { agonesAdmission } from "#extensions/admission.ts";
import { apiService, webhookConfigurations } from "#extensions/registration.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { createAuthority } from "#runtime/tls-authority.ts";
import { type ApiServer, objectPath } from "../agreement/api-server.ts";
import { Child, waitFor } from "./child.ts";

const SERVICE = { namespace: "agones-system", name: "agones-controller-service" };
const ROOT = join(import.meta.dirname, "..", "..", "..");

/** As it stands in an APIService that is reached. */
const AVAILABLE = '"type":"Available"';
const PATIENCE_MS = 30_000;

export interface RunningExtensions {
  readonly program: Child;
  /** PEM of the authority behind its certificate. */
  readonly authority: string;
  readonly port: number;
}

/** Installs our definitions, starts the program, registers it, and waits until the API server reaches it. */
export async function installExtensions(server: ApiServer, folder: string): Promise<RunningExtensions> {
  for (const definition of buildCustomResourceDefinitions()) await make(server, definition as unknown as JsonObject);
  await answers(server, "GET", "/apis/agones.dev/v1/gameservers", undefined, '"items":[]');

  const authority = await createAuthority({ commonName: "admission-controller-ca", clock });
  const { key, certificate } = await authority.issue({
    commonName: SERVICE.name,
    names: [`${SERVICE.name}.${SERVICE.namespace}.svc`],
    addresses: ["127.0.0.1"],
  });
  const certs = join(folder, "certs");
  mkdirSync(certs);
  writeFileSync(join(certs, "server.crt"), certificate);
  writeFileSync(join(certs, "server.key"), key);
  const flags = [
    join(ROOT, "src", "bin", "extensions.ts"),
    `--kubeconfig=${server.kubeconfig}`,
    `--cert-file=${join(certs, "server.crt")}`,
    `--key-file=${join(certs, "server.key")}`,
    "--webhook-port=0",
    "--http-port=0",
  ];
  const program = new Child("extensions", process.execPath, flags, folder);
  const port = await waitFor(() => /"webhookPort":(\d+)/.exec(program.output)?.[1], {
    children: [program],
    within: PATIENCE_MS,
  });
  const running = { program, authority: authority.certificate, port: Number(port) };
  await register(server, running);
  return running;
}

/** Webhooks by URL. An APIService can name a Service only; one that stands for an outside name leads to this machine. */
async function register(server: ApiServer, { authority, port }: RunningExtensions): Promise<void> {
  const plugin = agonesAdmission({ gates: featureGates(), version: "0.0.0" });
  const configurations = webhookConfigurations(plugin, { url: `https://127.0.0.1:${port}` }, { authority });
  for (const configuration of configurations) await make(server, configuration);
  await make(server, { apiVersion: "v1", kind: "Namespace", metadata: { name: SERVICE.namespace } });
  await make(server, {
    apiVersion: "v1",
    kind: "Service",
    metadata: SERVICE,
    spec: { type: "ExternalName", externalName: "localhost" },
  });
  await make(
    server,
    apiService({ group: "allocation.agones.dev", version: "v1" }, { ...SERVICE, port }, { authority }),
  );
  await answers(
    server,
    "GET",
    "/apis/apiregistration.k8s.io/v1/apiservices/v1.allocation.agones.dev",
    undefined,
    AVAILABLE,
  );
  // Webhooks take effect when the API server has read them; a Fleet that is given its defaults has been through ours.
  const fleet = { apiVersion: "agones.dev/v1", kind: "Fleet", metadata: { name: "probe" }, spec: probe };
  await answers(server, "POST", "/apis/agones.dev/v1/namespaces/default/fleets?dryRun=All", fleet, '"maxSurge":"25%"');
}

/** Waits until an answer holds a text. */
async function answers(
  server: ApiServer,
  method: string,
  path: string,
  body: JsonObject | undefined,
  text: string,
): Promise<void> {
  const holds = async () =>
    stringifyJson((await server.call(method, path, body)).body).includes(text) ? true : undefined;
  await waitFor(holds, { children: [], within: PATIENCE_MS });
}

const probe = { template: { spec: { template: { spec: { containers: [{ name: "game", image: "game:1" }] } } } } };

async function make(server: ApiServer, object: JsonObject): Promise<void> {
  const { status, body } = await server.call("POST", objectPath(object), object);
  if (status !== 201) throw new Error(`${objectPath(object)} answered ${status}: ${JSON.stringify(body)}`);
}
