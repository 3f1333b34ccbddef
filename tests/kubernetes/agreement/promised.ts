/** The tables of promises as scenarios: those that are requests, and those of objects that are completed or refused. */
import { expect } from "vitest";
import * as defaults from "#api/agones/defaults.promises.ts";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import { fleet, gameServerSet, manifest } from "#api/agones/gameserver.fixture.ts";
import { gameServers } from "#api/agones/validate.promises.ts";
import { fleets, sets, templates } from "#api/agones/validate-fleet.promises.ts";
import * as requestDefaults from "#api/allocation/defaults.promises.ts";
import * as requests from "#api/allocation/validate.promises.ts";
import { autoscaler } from "#api/autoscaling/autoscaler.fixture.ts";
import * as policies from "#api/autoscaling/validate.promises.ts";
import { type JsonObject, parseJson, stringifyJson } from "#api/meta/json.ts";
import type { PromiseRow } from "#api/meta/promise-row.ts";
import type { ApiPromise, ApiStep } from "#extensions/api-promise.fixture.ts";
import * as autoscalers from "#extensions/autoscalers.promises.ts";
import * as updates from "#extensions/updates.promises.ts";
import * as writes from "#extensions/writes.promises.ts";
import type { Scenario } from "./agree.ts";
import { objectPath } from "./api-server.ts";
import { allocation } from "./objects.ts";
import type { Session } from "./session.ts";

export interface Promised {
  readonly title: string;
  /** Those that are not as they are by default. */
  readonly gates: Partial<FeatureGates>;
  readonly scenario: Scenario;
}

interface Row extends PromiseRow {
  readonly gates?: Partial<FeatureGates>;
}

const promised = ({ section, name, gates = {} }: Row, scenario: Scenario, of = ""): Promised => ({
  title: `${section}: ${of}${name}`,
  gates,
  scenario,
});

/** As it is on the wire, in no namespace and without an identity. */
function written(object: object): JsonObject {
  const { metadata, ...rest } = parseJson(stringifyJson(object)) as JsonObject;
  const { namespace: _, uid: __, ...kept } = (metadata ?? {}) as JsonObject;
  return { ...rest, metadata: kept };
}

const created =
  (object: object): Scenario =>
  async (api) => {
    const body = written(object);
    // A long base is cut so that the name it begins is not too long.
    const base = (body.metadata as JsonObject).generateName;
    if (typeof base === "string") api.generates(base.slice(0, 58));
    await api.create(body);
  };

/** The first is created, and if it is taken, the second takes its place. */
const replaced =
  (before: object, after: object): Scenario =>
  async (api) => {
    const { status, body } = await api.create(written(before));
    if (status !== 201) return;
    const { metadata } = body as JsonObject;
    const next = written(after);
    const path = `${objectPath(next, "NS")}/${(metadata as JsonObject).name}`;
    await api.call("PUT", path, { ...next, metadata: metadata as JsonObject });
  };

const named = (name64: boolean | undefined) => (name64 ? { name: "n".repeat(64) } : {});

const objects: readonly Promised[] = [
  ...gameServers.map((row) => promised(row, created(row.given), "a GameServer: ")),
  ...defaults.gameServers.map((row) => promised(row, created(row.given), "a GameServer completed: ")),
  ...defaults.fleets.map((row) => promised(row, created(fleet(row.given)), "a Fleet completed: ")),
  ...templates.flatMap((row) => {
    const template = { ...(row.metadata && { metadata: row.metadata }), spec: manifest(row.spec).spec };
    return [
      promised(row, created(fleet({ template })), "a Fleet's template: "),
      promised(row, created(gameServerSet({ template })), "a set's template: "),
    ];
  }),
  ...fleets.map((row) => {
    const given = fleet(row.spec, named(row.name64));
    return promised(row, row.asWritten ? replaced(fleet(), given) : created(given), "a Fleet: ");
  }),
  ...sets.map((row) => {
    const given = gameServerSet(row.spec, named(row.name64));
    return promised(row, row.before ? replaced(gameServerSet(row.before), given) : created(given), "a set: ");
  }),
  ...policies.promises.map((row) => promised(row, created(autoscaler(row.policy, row.spec)), "a FleetAutoscaler: ")),
  ...[...requests.refusals, ...requests.accepted, ...requestDefaults.defaults].map((row) =>
    promised(row, created(allocation((row.spec ?? {}) as JsonObject)), "a request: "),
  ),
];

const step = (api: Session, { method, path, body }: ApiStep) => {
  const here = path.replace("/namespaces/default/", "/namespaces/NS/");
  if (method !== "PATCH") return api.call(method, here, body);
  return api.patch(here, Array.isArray(body) ? "json" : "merge", body ?? null);
};

const asked =
  ({ requests, code, message }: ApiPromise): Scenario =>
  async (api) => {
    let last: Awaited<ReturnType<typeof step>> | undefined;
    const ask = async (each: ApiStep) => {
      last = await step(api, inNamespace(each));
    };
    // Why a JSON patch does not apply is told by the embedded server alone.
    for (const each of requests) await (Array.isArray(each.body) ? api.loosely(() => ask(each)) : ask(each));
    expect(last?.status).toBe(code);
    if (message !== undefined) expect(last?.body).toMatchObject({ message: expect.stringContaining(message) });
  };

/** Objects that name their namespace. */
function inNamespace({ body, ...request }: ApiStep): ApiStep {
  const metadata = (body as JsonObject | undefined)?.metadata as JsonObject | undefined;
  if (metadata?.namespace !== "default") return { ...request, body };
  const { namespace: _, ...rest } = metadata;
  return { ...request, body: { ...(body as JsonObject), metadata: rest } };
}

/** Every row, under the gates that it asks for. */
export const promises: readonly Promised[] = [
  ...[...autoscalers.promises, ...updates.promises, ...writes.promises].map((row) => promised(row, asked(row))),
  ...objects,
];

export const isByDefault = ({ gates }: Promised): boolean => Object.keys(gates).length === 0;
