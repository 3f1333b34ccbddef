import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";

const NAMESPACES = ["default", "kube-system"];
const NAMES = ["a", "b", "c"];

interface Action {
  readonly verb: "create" | "label" | "data" | "delete";
  readonly namespace: string;
  readonly name: string;
  readonly value: string;
}

const action: fc.Arbitrary<Action> = fc.record({
  verb: fc.constantFrom("create", "label", "data", "delete"),
  namespace: fc.constantFrom(...NAMESPACES),
  name: fc.constantFrom(...NAMES),
  value: fc.constantFrom("x", "y"),
});

const queries = [
  "",
  "&labelSelector=l%3Dx",
  "&labelSelector=l!%3Dx",
  "&fieldSelector=metadata.name%3Da",
  "&fieldSelector=metadata.namespace%3Ddefault",
];

function perform(server: TestServer, { verb, namespace, name, value }: Action): Promise<unknown> {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  switch (verb) {
    case "create":
      return server.call("POST", collection, { metadata: { name, labels: { l: value } } });
    case "label":
      return server.patch(`${collection}/${name}`, "merge", { metadata: { labels: { l: value } } });
    case "data":
      return server.patch(`${collection}/${name}`, "merge", { data: { d: value } });
    case "delete":
      return server.call("DELETE", `${collection}/${name}`);
  }
}

const keyOf = (object: JsonObject): string => {
  const { namespace, name } = object.metadata as JsonObject;
  return `${namespace}/${name}`;
};

const listed = async (server: TestServer, query: string) => {
  const { items, metadata } = (await server.call("GET", `/api/v1/configmaps?${query}`)).body;
  const state = new Map((items as JsonObject[]).map((item) => [keyOf(item), item]));
  return { state, version: String((metadata as JsonObject).resourceVersion) };
};

/** Follows a watch until the given version has passed, checking that each event makes sense to a cache. */
async function follow(
  server: TestServer,
  { state, version, query }: { state: Map<string, JsonObject>; version: string; query: string },
  done: Promise<unknown>,
): Promise<Map<string, JsonObject>> {
  const watch = await server.watch(`/api/v1/configmaps?watch=true&resourceVersion=${version}${query}`);
  done.then(() => watch.stop());
  let last = Number(version);
  for (let event = await watch.next(); event; event = await watch.next()) {
    const key = keyOf(event.object);
    const revision = Number((event.object.metadata as JsonObject).resourceVersion);
    expect(revision).toBeGreaterThan(last);
    last = revision;
    expect(event.type === "ADDED").toBe(!state.has(key));
    if (event.type === "DELETED") state.delete(key);
    else state.set(key, event.object);
  }
  return state;
}

it("a client that lists and then watches ends with the server's state, for every selector", {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { maxLength: 10 }),
      fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
      fc.constantFrom(...queries),
      async (before, batches, query) => {
        const server = await startTestServer();
        for (const each of before) await perform(server, each);
        const begin = await listed(server, query.slice(1));
        const finished = Promise.withResolvers<void>();
        const followed = follow(server, { ...begin, query }, finished.promise);
        for (const batch of batches) await Promise.all(batch.map((each) => perform(server, each)));
        // A reader that waits has been told everything once the event loop has turned.
        await new Promise((resolve) => setImmediate(resolve));
        finished.resolve();
        expect(await followed).toEqual((await listed(server, query.slice(1))).state);
      },
    ),
    { numRuns: 60 },
  );
});

it("pages of a list are together exactly the list of their moment", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 5, maxLength: 15 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(action, { maxLength: 5 }),
      async (before, limit, between) => {
        const server = await startTestServer();
        for (const each of before) await perform(server, each);
        const whole = (await listed(server, "")).state;
        const paged = new Map<string, JsonObject>();
        let token = "";
        do {
          const { body } = await server.call("GET", `/api/v1/configmaps?limit=${limit}&continue=${token}`);
          for (const item of body.items as JsonObject[]) paged.set(keyOf(item), item);
          token = String((body.metadata as JsonObject).continue ?? "");
          for (const each of between) await perform(server, each);
        } while (token !== "");
        expect(paged).toEqual(whole);
      },
    ),
    { numRuns: 40 },
  );
});
