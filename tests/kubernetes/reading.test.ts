/** Lists, pages, selections, forms, watches, and what is not there: alike on both servers. */
import type { IncomingMessage } from "node:http";
import { type JsonObject, type JsonValue, parseJson } from "#api/meta/json.ts";
import { agree } from "./agreement/agree.ts";
import { AGONES, fleet, gameServer } from "./agreement/objects.ts";
import type { Session } from "./agreement/session.ts";

const FLEETS = `${AGONES}/fleets`;
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

const teams = { a: "red", b: "blue", c: "red" };

async function three(api: Session): Promise<void> {
  for (const [name, team] of Object.entries(teams))
    await api.quietly("POST", FLEETS, fleet({ replicas: 1 }, { name, labels: { team } }));
}

const selected = (by: "labelSelector" | "fieldSelector", selector: string) =>
  `${FLEETS}?${by}=${encodeURIComponent(selector)}`;

agree("selections by label", async (api) => {
  await three(api);
  await api.get(FLEETS);
  for (const selector of [
    "team=red",
    "team!=red",
    "team in (red,blue)",
    "team notin (red)",
    "team",
    "!team",
    "team==blue",
  ])
    await api.get(selected("labelSelector", selector));
  for (const selector of [
    "team=",
    "=red",
    "team in red",
    "team,",
    "-x=1",
    `team=${"a".repeat(64)}`,
    "team notin (z,_,b c)",
    "a b",
    "team>red",
    "team<-1",
    "team\u0001",
  ])
    await api.get(selected("labelSelector", selector));
});

agree("selections by labels that are numbers", async (api) => {
  for (const size of ["5", "05", "10", "9223372036854775807", "many", ""])
    await api.quietly("POST", FLEETS, fleet({}, { name: `f${size || "-none"}`, labels: { size } }));
  for (const selector of ["size>5", "size<10", "size>4,size<6", "size>9223372036854775806", "size>9223372036854775808"])
    await api.get(selected("labelSelector", selector));
});

agree("selections by field", async (api) => {
  await three(api);
  for (const selector of [
    "metadata.name=b",
    "metadata.name!=b",
    "metadata.namespace=x",
    "spec.replicas=1",
    "metadata.name",
    "metadata.name=b,,=",
    "z,metadata.name=\\x,a",
    "metadata.name=b\\=",
  ])
    await api.get(selected("fieldSelector", selector));
});

agree("pages", async (api) => {
  await three(api);
  const first = await api.get(`${FLEETS}?limit=2`);
  const next = String(((first.body as JsonObject).metadata as JsonObject).continue);
  api.note("the second page", await api.quietly("GET", `${FLEETS}?limit=2&continue=${encodeURIComponent(next)}`));
  await api.get(`${FLEETS}?limit=3`);
  await api.get(`${FLEETS}?limit=0`);
  await api.get(`${FLEETS}?limit=2&labelSelector=team%3Dred`);
  await api.get(`${FLEETS}?limit=many`);
  await api.loosely(() => api.get(`${FLEETS}?limit=2&continue=nonsense`));
});

agree("versions of lists", async (api) => {
  await three(api);
  await api.get(`${FLEETS}?resourceVersion=0`);
  await api.get(`${FLEETS}?resourceVersion=abc`);
  await api.get(`${FLEETS}?resourceVersion=0&resourceVersionMatch=Exact`);
  await api.get(`${FLEETS}?resourceVersionMatch=Exact`);
  await api.get(`${FLEETS}?resourceVersionMatch=Sometime&resourceVersion=1`);
});

agree("forms", async (api) => {
  await three(api);
  await api.get(FLEETS, TABLE);
  await api.get(`${FLEETS}/a`, TABLE);
  await api.get(`${FLEETS}?includeObject=Object`, TABLE);
  await api.get(`${FLEETS}?includeObject=None`, TABLE);
  await api.get(`${FLEETS}?includeObject=Much`, TABLE);
  await api.get(`${FLEETS}/a`, PARTIAL);
  await api.get(FLEETS, PARTIAL_LIST);
  await api.loosely(async () => {
    await api.get(`${FLEETS}/a`, "text/html");
    await api.get(`${FLEETS}/a`, "application/json;as=Table;v=v9;g=meta.k8s.io");
  });
  await api.get(`${FLEETS}/a`, "application/json;as=Table;v=v9;g=meta.k8s.io, application/json");
  await api.get(`${FLEETS}/ghost`, TABLE);
  await api.quietly("POST", `${AGONES}/gameservers`, gameServer());
  await api.get(`${AGONES}/gameservers`, TABLE);
  await api.differing("formats of answers", () => api.get(`${FLEETS}/a`, "application/yaml"));
});

agree("what is not there", async (api) => {
  for (const path of [
    `${FLEETS}/ghost`,
    `${AGONES}/ghosts`,
    `${AGONES}/ghosts/a`,
    "/apis/agones.dev/v2/fleets",
    "/apis/ghost.dev/v1/fleets",
    "/apis/ghost.dev/v1",
    "/apis/ghost.dev",
    "/api/v2",
    "/api/v1/ghosts",
    "/nowhere",
    "/apis/agones.dev/v1/namespaces/nowhere/fleets",
    "/apis/agones.dev/v1/fleets/a",
    "/api/v1/namespaces/nowhere",
  ])
    await api.get(path);
  await api.call("OPTIONS", FLEETS);
  await api.call("PATCH", FLEETS, {}, { contentType: "application/merge-patch+json" });
});

/** The frames of a watch, until it ends by its own time limit. */
async function watch(api: Session, query: string, accept?: string): Promise<JsonValue[]> {
  const target = api.path(`${FLEETS}?watch=true&timeoutSeconds=1${query}`);
  const response: IncomingMessage = await api.server.open("GET", target, undefined, accept ? { accept } : {});
  let text = "";
  for await (const chunk of response) text += String(chunk);
  const lines = text.split("\n").filter((line) => line !== "");
  return [response.statusCode ?? 0, response.headers["content-type"] ?? "", ...lines.map((line) => parseJson(line))];
}

/** Bookmarks come when they come. */
async function events(api: Session, query: string, accept?: string): Promise<void> {
  const frames = await watch(api, query, accept);
  api.note(`watch ${query.replace(/resourceVersion=\d+/, "resourceVersion=N")} ${accept ?? ""}`, [
    ...frames.filter((frame) => (frame as JsonObject).type !== "BOOKMARK"),
  ]);
}

agree("watches from a version on", async (api) => {
  await three(api);
  const { metadata } = await api.quietly("GET", FLEETS);
  const since = `&resourceVersion=${(metadata as JsonObject).resourceVersion}`;
  const merge = { contentType: "application/merge-patch+json" };
  await api.quietly("PATCH", `${FLEETS}/b`, { metadata: { labels: { team: "red" } } }, merge);
  await api.quietly("PATCH", `${FLEETS}/c`, { spec: { replicas: 4 } }, merge);
  await api.quietly("DELETE", `${FLEETS}/a`);
  await events(api, since);
  await events(api, `${since}&labelSelector=team%3Dred`);
  await events(api, `${since}&labelSelector=team%3Dblue`);
  await events(api, `${since}&fieldSelector=metadata.name%3Dc`);
  await events(api, since, TABLE);
  await events(api, since, PARTIAL);
});

agree("watches from the present state on", async (api) => {
  await three(api);
  await events(api, "");
  await events(api, "&resourceVersion=0");
  await api.differing("a version or a kind that is none", () => events(api, "&resourceVersion=abc"));
  await events(api, "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  await events(api, "&sendInitialEvents=true");
});

agree("a parameter that is neither true nor false is true", async (api) => {
  const response = await api.server.open("GET", api.path(`${FLEETS}?watch=maybe&timeoutSeconds=1`));
  response.resume();
  api.note("watch=maybe", [response.statusCode ?? 0, response.headers["transfer-encoding"] ?? "none"]);
});

agree("the bookmark after the initial events", async (api) => {
  await three(api);
  const frames = await watch(api, "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  api.note("bookmark", frames.find((frame) => (frame as JsonObject).type === "BOOKMARK") ?? null);
});
