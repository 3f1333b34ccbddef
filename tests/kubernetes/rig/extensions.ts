/** Our extensions program in front of the real API server, registered there as an installation registers it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeFeatureGates, featureGates } from "#api/agones/feature-gates.ts";
import { buildCustomResourceDefinitions, type CrdOptions } from "#api/definitions/crds.ts";
import { type JsonObject, stringifyJson } from "#api/meta/json.ts";
import { agonesAdmission } from "#extensions/admission.ts";
import { apiService, webhookConfigurations } from "#extensions/registration.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { createAuthority } from "#runtime/tls-authority.ts";
import { type Answer, type ApiServer, objectPath } from "../agreement/api-server.ts";
import { Child, waitFor } from "./child.ts";
import { kubeconfigFor } from "./permissions.ts";

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
  /** Where it answers `/ready`. */
  readonly httpPort: number;
}

/**
 * Installs our definitions, starts the program, registers it, and waits until the API server reaches it. What an earlier installation
 * of other options left is replaced; its program must have ended.
 */
export async function installExtensions(
  server: ApiServer,
  folder: string,
  options: CrdOptions = {},
): Promise<RunningExtensions> {
  const { gates = featureGates() } = options;
  for (const definition of buildCustomResourceDefinitions(options))
    await make(server, definition as unknown as JsonObject);
  await answers(server, "GET", "/apis/agones.dev/v1/gameservers", undefined, '"items":[');

  const authority = await createAuthority({ commonName: "admission-controller-ca", clock });
  const { key, certificate } = await authority.issue({
    commonName: SERVICE.name,
    names: [`${SERVICE.name}.${SERVICE.namespace}.svc`],
    addresses: ["127.0.0.1"],
  });
  const certs = join(folder, "certs");
  mkdirSync(certs, { recursive: true });
  writeFileSync(join(certs, "server.crt"), certificate);
  writeFileSync(join(certs, "server.key"), key);
  const kubeconfig = await kubeconfigFor("extensions", server, folder);
  const flags = [`--kubeconfig=${kubeconfig}`, `--feature-gates=${encodeFeatureGates(gates)}`];
  const running = { ...(await startExtensions("extensions", folder, flags)), authority: authority.certificate };
  try {
    await register(server, running);
    await shows(server, options);
  } catch (error) {
    await running.program.stop();
    throw error;
  }
  return running;
}

/** The program by itself, with the certificate that an installation left in the folder; it serves. */
export async function startExtensions(
  name: string,
  folder: string,
  flags: readonly string[],
): Promise<Omit<RunningExtensions, "authority">> {
  const program = new Child(
    name,
    process.execPath,
    [
      join(ROOT, "src", "bin", "extensions.ts"),
      `--cert-file=${join(folder, "certs", "server.crt")}`,
      `--key-file=${join(folder, "certs", "server.key")}`,
      "--webhook-port=0",
      "--http-port=0",
      ...flags,
    ],
    folder,
  );
  const look = () => /"webhookPort":(\d+),"httpPort":(\d+)/.exec(program.output) ?? undefined;
  const [, port, httpPort] = await waitFor(look, { children: [program], within: PATIENCE_MS });
  return { program, port: Number(port), httpPort: Number(httpPort) };
}

/** Webhooks by URL. An APIService can name a Service only; one that stands for an outside name leads to this machine. */
export async function register(
  server: ApiServer,
  { authority, port }: Pick<RunningExtensions, "authority" | "port">,
): Promise<void> {
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
  await answers(
    server,
    "POST",
    "/apis/allocation.agones.dev/v1/namespaces/default/gameserverallocations",
    {},
    '"UnAllocated"',
  );
  // Webhooks take effect when the API server has read them; a Fleet that is given its defaults has been through ours.
  const fleet = { apiVersion: "agones.dev/v1", kind: "Fleet", metadata: { name: "probe" }, spec: probe };
  await answers(server, "POST", "/apis/agones.dev/v1/namespaces/default/fleets?dryRun=All", fleet, '"maxSurge":"25%"');
}

/** Waits until the API server has taken the definitions in: what it answers then tells their options. */
async function shows(server: ApiServer, options: CrdOptions): Promise<void> {
  const { gates = featureGates(), listsMaxItems = 1000, podPreserveUnknownFields = false } = options;
  const ask = (object: JsonObject, told: (answer: string) => boolean) =>
    answers(server, "POST", `${objectPath(object, "default")}?dryRun=All`, object, told);
  const gameServer = (spec: JsonObject): JsonObject => ({
    apiVersion: "agones.dev/v1",
    kind: "GameServer",
    metadata: { name: "probe" },
    spec: { ...probe.template.spec, ...spec },
  });
  const beyond = gameServer({ lists: { probe: { capacity: 1_000_000 } } });
  await ask(beyond, (answer) => answer.includes(`should be less than or equal to ${listsMaxItems}"`));
  const strange = gameServer({ template: { probe: true, spec: probe.template.spec.template.spec } });
  await ask(strange, (answer) => answer.includes('"probe":true') === podPreserveUnknownFields);
  const autoscaler = {
    apiVersion: "autoscaling.agones.dev/v1",
    kind: "FleetAutoscaler",
    metadata: { name: "probe" },
    spec: { fleetName: "probe", policy: { type: "Probe" } },
  };
  const types = /supported values: .*Schedule/;
  await ask(autoscaler, (answer) => types.test(answer) === gates.ScheduledAutoscaler);
}

/** Waits until an answer holds a text, or what is looked for. */
async function answers(
  server: ApiServer,
  method: string,
  path: string,
  body: JsonObject | undefined,
  looked: string | ((answer: string) => boolean),
): Promise<void> {
  const found = typeof looked === "string" ? (answer: string) => answer.includes(looked) : looked;
  const holds = async () => (found(stringifyJson((await server.call(method, path, body)).body)) ? true : undefined);
  await waitFor(holds, { children: [], within: PATIENCE_MS });
}

const probe = { template: { spec: { template: { spec: { containers: [{ name: "game", image: "game:1" }] } } } } };

/** Creates an object, or lets it take the place of the one that is there. */
async function make(server: ApiServer, object: JsonObject): Promise<void> {
  const created = await server.call("POST", objectPath(object), object);
  const { status, body } = created.status === 409 ? await replace(server, object) : created;
  if (status !== 200 && status !== 201) throw new Error(`${objectPath(object)}: ${status}: ${JSON.stringify(body)}`);
}

async function replace(server: ApiServer, object: JsonObject): Promise<Answer> {
  const metadata = object.metadata as JsonObject;
  const path = `${objectPath(object)}/${metadata.name}`;
  const { body } = await server.call("GET", path);
  const { resourceVersion = null } = (body as JsonObject).metadata as JsonObject;
  return server.call("PUT", path, { ...object, metadata: { ...metadata, resourceVersion } });
}
