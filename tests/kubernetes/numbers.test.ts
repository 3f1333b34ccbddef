/** Numbers of 64 bits, from the wire through patches, the store and watches to kubectl: alike on both servers, to the last digit. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "#api/meta/json.ts";
import { hasKubectl, kubectl } from "#tests/harness/kubectl.ts";
import { run } from "#tests/harness/program.ts";
import { agree } from "./agreement/agree.ts";
import { AGONES, gameServer } from "./agreement/objects.ts";
import type { Session } from "./agreement/session.ts";

const SERVERS = `${AGONES}/gameservers`;
const SERVER = `${SERVERS}/duel`;
const POLICIES = "/apis/multicluster.agones.dev/v1/namespaces/NS/gameserverallocationpolicies";
const MOST = 9223372036854775807n;
const LEAST = -9223372036854775808n;
const ODD = 9007199254740993n;

const counters = (count: JsonValue, capacity: JsonValue): JsonObject => ({ counters: { rounds: { count, capacity } } });

/** A body as it is written, so that numbers stand as they are. */
const written = (number: string): string => stringifyJson(gameServer(counters(0, "HERE"))).replace('"HERE"', number);

agree("numbers as they are written", async (api) => {
  for (const number of [
    "9223372036854775807",
    "9223372036854775808",
    "-1",
    "9007199254740993",
    "1.0",
    "1e3",
    "1E+2",
    "1.5",
    "-0",
    "0.0",
    "18446744073709551616",
    "100000000000000000000000000",
  ])
    await api.call("POST", `${SERVERS}?dryRun=All`, written(number));
});

agree("patches of large numbers", async (api) => {
  await api.create(gameServer(counters(ODD, MOST)));
  await api.patch(SERVER, "merge", { status: counters(MOST - 1n, MOST) });
  await api.patch(SERVER, "json", [
    { op: "test", path: "/status/counters/rounds/count", value: MOST - 1n },
    { op: "copy", from: "/status/counters/rounds/capacity", path: "/status/counters/rounds/count" },
    { op: "test", path: "/status/counters/rounds/count", value: MOST },
    { op: "add", path: "/status/counters/more", value: { count: ODD, capacity: ODD + 1n } },
    { op: "move", from: "/status/counters/more", path: "/status/counters/moved" },
  ]);
  await api.loosely(() =>
    api.patch(SERVER, "json", [{ op: "test", path: "/status/counters/rounds/count", value: MOST - 1n }]),
  );
  // The schema of players has no least number.
  await api.patch(SERVER, "merge", { status: { players: { count: LEAST, capacity: MOST } } });
  await api.patch(SERVER, "merge", { status: { players: { count: LEAST + 1n } } });
  await api.patch(SERVER, "merge", { status: counters(LEAST, 1) });
  await api.get(SERVER);
  await api.get(SERVERS);
  const object = await api.quietly("GET", SERVER);
  await api.call("PUT", SERVER, object);
});

agree("large numbers of a built-in kind", async (api) => {
  const path = "/apis/coordination.k8s.io/v1/namespaces/NS/leases";
  const pod = "/api/v1/namespaces/NS/pods?dryRun=All";
  const spec = { containers: [{ name: "duel", image: "duel:3" }] };
  const podOf = (more: JsonObject): JsonObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "duel" },
    spec: { ...spec, ...more },
  });
  const seconds = async (more: JsonObject) => {
    const { body, status } = await api.server.call("POST", api.path(pod), podOf(more));
    const { terminationGracePeriodSeconds = null } = ((body as JsonObject).spec ?? {}) as JsonObject;
    api.note("a Pod's patience", [status, terminationGracePeriodSeconds]);
  };
  await seconds({ terminationGracePeriodSeconds: MOST });
  await seconds({ terminationGracePeriodSeconds: ODD });
  await api.loosely(() => api.call("POST", path, { metadata: { name: "a" }, spec: { leaseTransitions: 2147483648 } }));
});

agree("weights of policies", async (api) => {
  const policy = (weight: JsonValue): JsonObject => ({
    apiVersion: "multicluster.agones.dev/v1",
    kind: "GameServerAllocationPolicy",
    metadata: { name: "north" },
    spec: { priority: 2147483647, weight },
  });
  await api.create(policy(MOST));
  await api.patch(`${POLICIES}/north`, "merge", { spec: { weight: ODD } });
  await api.patch(`${POLICIES}/north`, "merge", { spec: { priority: 2147483648, weight: LEAST } });
  await api.get(`${POLICIES}/north`);
});

agree("large numbers of a watch", async (api) => {
  await api.create(gameServer(counters(ODD, MOST)));
  const { metadata } = await api.quietly("GET", SERVERS);
  const version = (metadata as JsonObject).resourceVersion;
  await api.quietly("PATCH", SERVER, { status: counters(MOST, MOST) }, { contentType: "application/merge-patch+json" });
  const watched = `${SERVERS}?watch=true&timeoutSeconds=1&resourceVersion=${version}`;
  const response = await api.server.open("GET", api.path(watched));
  let text = "";
  for await (const chunk of response) text += String(chunk);
  const frames = text.split("\n").filter((line) => line !== "");
  expect(text).toContain('"count":9223372036854775807');
  api.note(
    "frames",
    frames.map((frame) => parseJson(frame)),
  );
});

/** Editors of kubectl: a program that changes the file it is given. */
const folder = mkdtempSync(join(tmpdir(), "stadion-numbers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function shows(api: Session, editor: string, ...command: readonly string[]): Promise<void> {
  const where = ["--kubeconfig", api.server.kubeconfig, "--cache-dir", join(folder, api.server.name)];
  const env = { ...process.env, KUBE_EDITOR: editor };
  const { code, out } = await run(kubectl(), [...where, "--namespace", api.namespace, ...command], { env });
  api.note(`kubectl ${command.join(" ")}`, [code, out.replaceAll(api.namespace, "NS")]);
}

describe.runIf(hasKubectl)("kubectl", () => {
  agree("gets, patches and edits large numbers", async (api) => {
    const editor = join(folder, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/count: 9007199254740993/count: 9223372036854775806/" "$1"\n', {
      mode: 0o700,
    });
    await api.create(gameServer(counters(ODD, MOST)));
    const read = () => shows(api, editor, "get", "gs", "duel", "-o", "jsonpath={.spec.counters}{.status.counters}");
    await read();
    await shows(api, editor, "edit", "gs", "duel");
    await read();
    const patch = stringifyJson({ status: counters(MOST, MOST) });
    await shows(api, editor, "patch", "gs", "duel", "--type=merge", "-p", patch);
    await read();
    await shows(api, editor, "get", "gs", "duel", "-o", "jsonpath={.status.counters.rounds.count}");
    await shows(api, editor, "get", "gs", "duel", "-o", "custom-columns=COUNT:.status.counters.rounds.count");
  });
});
