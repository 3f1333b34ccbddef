/** What a person sees with kubectl is the same on both servers. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { type JsonObject, stringifyJson } from "#api/meta/json.ts";
import { hasKubectl, kubectl } from "#tests/harness/kubectl.ts";
import { run } from "#tests/harness/program.ts";
import { agree } from "./agreement/agree.ts";
import { manifests } from "./agreement/objects.ts";
import type { Session } from "./agreement/session.ts";

/** kubectl remembers discovery for each server. */
const cache = mkdtempSync(join(tmpdir(), "stadion-kubectl-"));
afterAll(() => rmSync(cache, { recursive: true, force: true }));

const KINDS = ["gameservers", "gameserversets", "fleets", "fleetautoscalers", "gameserverallocationpolicies"];

/** Runs a command, words apart at spaces, and notes its output and end. */
async function shows(api: Session, command: string, input?: string): Promise<void> {
  const { code, out, err } = await quietly(api, command, input);
  api.note(`kubectl ${command}`, { code, out: told(out, api), err: told(err, api) });
}

/** Of an explanation only what it explains and of which type that is: the embedded server has no sentences about Kubernetes' own members. */
async function explains(api: Session, path: string): Promise<void> {
  const { code, out, err } = await quietly(api, `explain ${path}`);
  const lines = out.split("\n").filter((line) => /^[A-Z]+: |\t</.test(line));
  api.note(`kubectl explain ${path}`, { code, lines, err: told(err, api) });
}

function quietly(api: Session, command: string, input?: string) {
  const where = ["--kubeconfig", api.server.kubeconfig, "--cache-dir", join(cache, api.server.name)];
  return run(
    kubectl(),
    [...where, "--namespace", api.namespace, ...command.split(" ")],
    input === undefined ? {} : { input },
  );
}

/** Ages, identities, and the folders of `diff` are each run's own. */
const told = (text: string, api: Session): string =>
  text
    .replaceAll(api.namespace, "NS")
    .replaceAll(/\b\d+(s|m\d*s?)(?=\s|$)/gm, "AGE")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID")
    .replaceAll(/(resourceVersion: |Resource Version: +)"?\d+"?/g, "$1VERSION")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, "TIME")
    .replaceAll(/\/tmp\/(LIVE|MERGED)-\d+\//g, "/tmp/$1/")
    .replaceAll(/(\t)\d{4}-\d\d-\d\d [\d:.]+ [+-]\d{4}/g, "$1TIME")
    .replaceAll(/ +$/gm, "")
    .replaceAll(/ {2,}/g, "  ");

const manifest = (object: JsonObject): string => stringifyJson(object);
const objects = manifests.map(({ object }) => object);
const named = objects.filter(({ metadata }) => (metadata as JsonObject).name !== undefined);
const allocations = objects.filter(({ kind }) => kind === "GameServerAllocation");

describe.runIf(hasKubectl)("kubectl", () => {
  agree("apply, apply again, diff and get of every kind", async (api) => {
    const all = manifest({ apiVersion: "v1", kind: "List", items: [...named] });
    await shows(api, "apply -f -", all);
    await shows(api, "apply -f -", all);
    await shows(api, "diff -f -", all);
    for (const kind of KINDS) {
      await shows(api, `get ${kind}`);
      await shows(api, `get ${kind} -o wide`);
      await shows(api, `get ${kind} -o name`);
      await shows(api, `get ${kind} -o jsonpath={.items[*].spec}`);
      await shows(api, `get ${kind} --sort-by=.metadata.name --no-headers`);
    }
    await shows(api, "get gs,gss,gsset,flt,fas,gsap -o name");
    await shows(api, "get fleets duel -o yaml");
    await shows(api, "get fleets ghost");
    await shows(api, "get ghosts");
  });

  for (const kind of KINDS) {
    agree(`explain ${kind}`, async (api) => {
      await explains(api, kind);
      await shows(api, `explain ${kind}.spec`);
      await explains(api, `${kind}.metadata`);
      await explains(api, `${kind}.metadata.labels`);
      await shows(api, `explain ${kind}.spec.ghost`);
    });
  }

  agree("explain deep inside", async (api) => {
    await shows(api, "explain fleets.spec.strategy.rollingUpdate");
    await shows(api, "explain gameservers.spec.ports --recursive");
    await shows(api, "explain gameservers.spec.template.spec.containers.resources");
    await shows(api, "explain gameservers.spec.counters");
    await shows(api, "explain fleets --recursive");
  });

  agree("changes: scale, label, annotate, patch, edit by replace, delete", async (api) => {
    const fleet = named.find(({ kind, metadata }) => kind === "Fleet" && (metadata as JsonObject).name === "duel");
    await shows(api, "create -f -", manifest(fleet ?? {}));
    await shows(api, "create -f -", manifest(fleet ?? {}));
    await shows(api, "scale fleet duel --replicas=7");
    await shows(api, "scale fleet duel --replicas=-1");
    await shows(api, "scale fleet duel --current-replicas=3 --replicas=4");
    await shows(api, "label fleet duel team=red");
    await shows(api, "label fleet duel team=blue");
    await shows(api, "label fleet duel team=blue --overwrite");
    await shows(api, "annotate fleet duel note=x");
    await shows(api, 'patch fleet duel --type=merge -p {"spec":{"replicas":2}}');
    await shows(api, 'patch fleet duel --type=json -p [{"op":"replace","path":"/spec/replicas","value":3}]');
    await api.differing("server-side apply", () => shows(api, 'patch fleet duel -p {"spec":{"replicas":2}}'));
    await shows(api, 'patch fleet duel --subresource=status --type=merge -p {"status":{"replicas":2}}');
    await shows(api, "get fleet duel");
    await shows(api, "delete fleet duel --wait=false");
    await shows(api, "delete fleet duel");
    await shows(api, "delete fleets --all");
  });

  agree("what is refused reads the same", async (api) => {
    const [server = {}] = named;
    await shows(api, "create -f -", manifest({ ...server, spec: { ...(server.spec as JsonObject), colour: "red" } }));
    await shows(api, "create -f - --validate=false", manifest({ ...server, spec: { ports: [{ protocol: "SCTP" }] } }));
    await shows(api, "create -f -", manifest({ ...server, metadata: { name: "Not_A_Name" } }));
    await shows(api, "create -f -", manifest({ ...server, spec: {} }));
  });

  agree("allocations can be created, and nothing else", async (api) => {
    for (const request of allocations) await shows(api, "create -f - -o jsonpath={.status}", manifest(request));
    await shows(api, "get gameserverallocations");
    await shows(api, "explain gameserverallocations.spec.counters");
  });

  agree("api-resources of our groups", async (api) => {
    for (const group of ["agones.dev", "autoscaling.agones.dev", "multicluster.agones.dev", "allocation.agones.dev"])
      await shows(api, `api-resources --api-group=${group} --no-headers --sort-by=name`);
  });

  agree("describe and events", async (api) => {
    const [server = {}] = named;
    await quietly(api, "create -f -", manifest(server));
    await shows(api, "describe gs duel-1");
    await shows(api, "get events");
    await shows(api, "auth can-i create fleets");
    await shows(api, "wait --for=jsonpath={.status.state}=Creating gs/duel-1 --timeout=5s");
  });
});
