import { expect, test } from "vitest";
import type { Node } from "#api/core/node.ts";
import { NODES } from "#api/core/resources.ts";
import { notFound, statusError } from "#api/meta/status.ts";
import { startTestServer } from "#cluster/apiserver/testing/test-server.ts";
import { createClient } from "#kube/api-client.ts";
import type { Client } from "#kube/client.ts";
import { inProcessTransport } from "#kube/transport-in-process.ts";
import { silentLogger as log } from "#runtime/logger.ts";
import { cloudProduct } from "./cloud-product.ts";

const node = (name: string, providerID?: string): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  spec: providerID === undefined ? {} : { providerID },
});

/** A cluster with these nodes, whose webhook configurations are found, absent or not ours to read. */
function cluster(nodes: readonly Node[], webhooks: (name: string) => boolean | Error) {
  const client = {
    list: async () => ({ apiVersion: "v1", kind: "NodeList", metadata: {}, items: nodes }),
    raw: async (_method: string, path: string) => {
      const name = path.replace("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/", "");
      const found = webhooks(name);
      if (found instanceof Error) throw found;
      if (!found) throw notFound("admissionregistration.k8s.io", "mutatingwebhookconfigurations", name);
      return {};
    },
  };
  return { client: client as unknown as Client, log };
}
const chosen = async (...surroundings: Parameters<typeof cluster>) =>
  (await cloudProduct("auto", cluster(...surroundings))).name;

const google = [node("gke-a", "gce://project/zone/gke-a")];
const forbidden = statusError("Forbidden", "no");

test.each([
  [
    "a webhook of Autopilot on Google's machines",
    google,
    (name: string) => name.startsWith("sasecret"),
    "gke-autopilot",
  ],
  ["no such webhook", google, () => false, "generic"],
  ["the webhook elsewhere", [node("a", "aws:///a"), node("b")], () => true, "generic"],
  [
    "webhooks we may not read and a node of Autopilot",
    [node("gk3-a", "gce://p/z/a")],
    () => forbidden,
    "gke-autopilot",
  ],
  ["webhooks we may not read and another node", google, () => forbidden, "generic"],
  ["no nodes", [], () => true, "generic"],
] as const)("auto with %s is found out", async (_what, nodes, webhooks, product) => {
  expect(await chosen(nodes, webhooks)).toBe(product);
});

test("a cluster that does not answer is no product", async () => {
  await expect(chosen(google, () => statusError("ServiceUnavailable", "later"))).rejects.toThrow("later");
});

test("what is said is not asked for", async () => {
  const silent = cluster([], () => new Error("asked"));
  expect((await cloudProduct("gke-autopilot", silent)).name).toBe("gke-autopilot");
  expect((await cloudProduct("generic", silent)).name).toBe("generic");
});

test("the embedded cluster is generic", async () => {
  const { handler } = await startTestServer();
  const client = createClient(inProcessTransport(handler, { username: "a", groups: ["system:masters"] }));
  await client.create(NODES, node("here"));
  expect((await cloudProduct("auto", { client, log })).name).toBe("generic");
});
