import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inlinePodTemplateSchema } from "#api/core/schemas.ts";
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import { customResource } from "../crd/custom-resources.ts";
import { openApiDocuments } from "./documents.ts";

const policy = { type: "string", enum: ["Dynamic", "Static"] };
const port = {
  type: "object",
  required: ["policy"],
  properties: { policy, host: { type: "integer", format: "int32" } },
};
const spec = {
  type: "object",
  properties: { ports: { type: "array", items: port }, template: inlinePodTemplateSchema() },
};

const resources = customResource({
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [{ name: "v1", served: true, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }],
  },
});
const documents = openApiDocuments(resources, []);

/** What kubectl reads before it explains or creates a thing; a created object is sent back. */
function answer(path: string, body: string): unknown {
  const verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];
  const version = { groupVersion: "example.com/v1", version: "v1" };
  const found: Record<string, () => unknown> = {
    "/api": () => ({ kind: "APIVersions", versions: ["v1"] }),
    "/api/v1": () => ({ kind: "APIResourceList", groupVersion: "v1", resources: [] }),
    "/apis": () => {
      const group = { name: "example.com", versions: [version], preferredVersion: version };
      return { kind: "APIGroupList", apiVersion: "v1", groups: [group] };
    },
    "/apis/example.com/v1": () => {
      const things = { name: "things", singularName: "thing", namespaced: true, kind: "Thing", verbs };
      return { kind: "APIResourceList", apiVersion: "v1", groupVersion: "example.com/v1", resources: [things] };
    },
    "/openapi/v3": () => {
      const paths = [...documents].map(([name, { hash }]) => [
        name,
        { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` },
      ]);
      return { paths: Object.fromEntries(paths) };
    },
    "/openapi/v3/apis/example.com/v1": () =>
      JSON.parse(new TextDecoder().decode(documents.get("apis/example.com/v1")?.bytes)),
    "/apis/example.com/v1/namespaces/default/things": () => JSON.parse(body),
  };
  return found[path]?.();
}

const kubectl = ["/usr/local/bin/kubectl", "/usr/bin/kubectl"].find((path) => existsSync(path));

describe.skipIf(kubectl === undefined)("kubectl", () => {
  const writes: string[] = [];
  let server: Server;
  let home: string;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "stadion-kubectl-"));
    server = createServer(async (request, response) => {
      const url = new URL(request.url ?? "", "http://localhost");
      const body = (await Array.fromAsync(request)).join("");
      if (request.method === "POST") writes.push(url.search);
      const value = answer(url.pathname, body);
      response.writeHead(isJsonObject(value) ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(value ?? { kind: "Status", apiVersion: "v1", status: "Failure", code: 404 }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(home, { recursive: true });
  });

  async function run(args: readonly string[], input?: JsonObject): Promise<string> {
    const { port: own } = server.address() as AddressInfo;
    const all = ["--server", `http://127.0.0.1:${own}`, "--cache-dir", home, ...args];
    const child = promisify(execFile)(kubectl as string, all, { env: { HOME: home } });
    child.child.stdin?.end(input && JSON.stringify(input));
    return (await child).stdout;
  }

  test("explains fields however deep they lie", async () => {
    expect(await run(["explain", "things.spec.ports.policy"])).toMatch(
      /FIELD: policy <string>\nENUM:\n {4}Dynamic\n {4}Static/,
    );
    expect(await run(["explain", "things.spec.ports"])).toMatch(
      /FIELD: ports <\[\]Object>[\s\S]*policy\t<string> -required-/,
    );
    const probe = "things.spec.template.spec.containers.livenessProbe.httpGet.path";
    expect(await run(["explain", probe])).toMatch(/FIELD: path <string>/);
    expect(await run(["explain", "things.metadata.ownerReferences.uid"])).toMatch(/FIELD: uid <string>/);
  });

  test("leaves the check of fields to the server when it creates", async () => {
    const thing = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, spec: { unknown: 1 } };
    expect(await run(["create", "-f", "-"], thing)).toBe("thing.example.com/a created\n");
    expect(writes).toEqual(["?fieldManager=kubectl-create&fieldValidation=Strict"]);
  });
});
