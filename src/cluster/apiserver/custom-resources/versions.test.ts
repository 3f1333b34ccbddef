import { expect, it } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import { startTestServer } from "../testing/test-server.ts";
import { DEFINITIONS, widget, widgetDefinition } from "../testing/widgets.ts";

const path = (version: string) => `/apis/example.dev/${version}/namespaces/default/widgets`;

it("shows one object in every served version, and stores it in one", async () => {
  const server = await startTestServer();
  const definition = widgetDefinition() as { spec: JsonObject & { versions: JsonObject[] } };
  const [first = {}] = definition.spec.versions;
  const versions = [
    first,
    { ...first, name: "v2", storage: false },
    { ...first, name: "v0", served: false, storage: false },
  ];
  await server.make(DEFINITIONS, { ...definition, spec: { ...definition.spec, versions } });
  const watch = await server.watch(`${path("v1")}?watch=true`);

  await server.make(path("v2"), { ...widget("a"), apiVersion: "example.dev/v2" });
  expect((await server.call("GET", `${path("v1")}/a`)).body.apiVersion).toBe("example.dev/v1");
  expect((await server.call("GET", path("v2"))).body).toMatchObject({
    apiVersion: "example.dev/v2",
    items: [{ apiVersion: "example.dev/v2", spec: { size: 1, color: "red" } }],
  });
  expect(server.objects.get("example.dev/widgets", "default/a")?.object.apiVersion).toBe("example.dev/v1");
  expect((await watch.next())?.object.apiVersion).toBe("example.dev/v1");

  const changed = await server.patch(`${path("v2")}/a`, "merge", { spec: { size: 2 } });
  expect(changed.body).toMatchObject({ apiVersion: "example.dev/v2", metadata: { generation: 2 } });
  expect((await server.call("GET", path("v0"))).status).toBe(404);
});
