/** The tables of promises that are requests: a real API server with our webhooks keeps them as the embedded one does. */
import { expect } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import type { ApiPromise, ApiStep } from "#extensions/api-promise.fixture.ts";
import * as autoscalers from "#extensions/autoscalers.promises.ts";
import * as updates from "#extensions/updates.promises.ts";
import * as writes from "#extensions/writes.promises.ts";
import { agree } from "./agreement/agree.ts";
import type { Session } from "./agreement/session.ts";

const promises: readonly ApiPromise[] = [...autoscalers.promises, ...updates.promises, ...writes.promises];

/** Both servers run with the gates that are on by default. */
const byDefault = promises.filter(({ gates = {} }) => Object.keys(gates).length === 0);

const step = (api: Session, { method, path, body }: ApiStep) => {
  const here = path.replace("/namespaces/default/", "/namespaces/NS/");
  if (method !== "PATCH") return api.call(method, here, body);
  return api.patch(here, Array.isArray(body) ? "json" : "merge", body ?? null);
};

for (const { section, name, requests, code, message } of byDefault) {
  agree(`${section}: ${name}`, async (api) => {
    let last: Awaited<ReturnType<typeof step>> | undefined;
    const ask = async (each: ApiStep) => {
      last = await step(api, inNamespace(each));
    };
    // Why a JSON patch does not apply is told by the embedded server alone.
    for (const each of requests) await (Array.isArray(each.body) ? api.loosely(() => ask(each)) : ask(each));
    expect(last?.status).toBe(code);
    if (message !== undefined) expect(last?.body).toMatchObject({ message: expect.stringContaining(message) });
  });
}

/** Objects that name their namespace. */
function inNamespace({ body, ...request }: ApiStep): ApiStep {
  const metadata = (body as JsonObject | undefined)?.metadata as JsonObject | undefined;
  if (metadata?.namespace !== "default") return { ...request, body };
  const { namespace: _, ...rest } = metadata;
  return { ...request, body: { ...(body as JsonObject), metadata: rest } };
}
