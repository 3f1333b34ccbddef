/** Lists, pages, selections, forms, watches, and what is not there: alike on both servers. */
import type { IncomingMessage } from "node:http";
import { type JsonObject, type JsonValue, parseJson } from "#api/meta/json.ts";
import { agree, type Session } from "./agreement/agree.ts";
import { AGONES, fleet, gameServer } from "./agreement/objects.ts";

const FLEETS = `${AGONES}/fleets`;
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

async function three(api: Session): Promise<void> {
  for (const [name, team] of [
    ["a", "red"],
    ["b", "blue"],
    ["c", "red"],
  ] as const)
    await api.server.call("POST", api.path(FLEETS), fleet({ replicas: 1 }, { name, labels: { team } }));
}

agree("lists and selections", async (api) => {
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
    await api.get(`${FLEETS}?labelSelector=${encodeURIComponent(selector)}`);
  for (const selector of ["team=", "=red", "team in red", "team,", "a b", "team>5", "-x=1", `team=${"a".repeat(64)}`])
    await api.get(`${FLEETS}?labelSelector=${encodeURIComponent(selector)}`);
  for (const selector of [
    "metadata.name=b",
    "metadata.name!=b",
    "metadata.namespace=x",
    "spec.replicas=1",
    "metadata.name",
    "=",
  ])
    await api.get(`${FLEETS}?fieldSelector=${encodeURIComponent(selector)}`);
});

agree("pages", async (api) => {
  await three(api);
  const first = await api.get(`${FLEETS}?limit=2`);
  const next = String(((first.body as JsonObject).metadata as JsonObject).continue);
  const second = await api.server.call("GET", api.path(`${FLEETS}?limit=2&continue=${encodeURIComponent(next)}`));
  api.note(second.body);
  await api.get(`${FLEETS}?limit=3`);
  await api.get(`${FLEETS}?limit=0`);
  await api.get(`${FLEETS}?limit=2&labelSelector=team%3Dred`);
  await api.get(`${FLEETS}?limit=many`);
  await api.get(`${FLEETS}?limit=2&continue=nonsense`);
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
  await api.get(`${FLEETS}/a`, "text/html");
  await api.get(`${FLEETS}/a`, "application/json;as=Table;v=v9;g=meta.k8s.io");
  await api.get(`${FLEETS}/a`, `application/json;as=Table;v=v9;g=meta.k8s.io, application/json`);
  await api.get(`${FLEETS}/ghost`, TABLE);
  await api.server.call("POST", api.path(`${AGONES}/gameservers`), gameServer());
  await api.get(`${AGONES}/gameservers`, TABLE);
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
    "/nowhere",
    "/apis/agones.dev/v1/namespaces/nowhere/fleets",
    "/apis/agones.dev/v1/fleets/a",
    "/api/v1/namespaces/nowhere",
  ])
    await api.get(path);
  await api.call("OPTIONS", FLEETS);
  await api.call("PATCH", FLEETS, {}, { contentType: "application/merge-patch+json" });
});

/** The events of a watch until it ends by its own time limit. */
async function events(api: Session, query: string, accept?: string): Promise<JsonValue> {
  const target = api.path(`${FLEETS}?watch=true&timeoutSeconds=1${query}`);
  const response: IncomingMessage = await api.server.open("GET", target, undefined, accept ? { accept } : {});
  let text = "";
  for await (const chunk of response) text += String(chunk);
  const lines = text.split("\n").filter((line) => line !== "");
  return [
    response.statusCode ?? 0,
    response.headers["content-type"] ?? "",
    ...lines.map((line) => parseJson(line)).filter((event) => (event as JsonObject).type !== "BOOKMARK"),
  ];
}

agree("watches", async (api) => {
  await three(api);
  const { body } = await api.server.call("GET", api.path(FLEETS));
  const version = String(((body as JsonObject).metadata as JsonObject).resourceVersion);
  await api.server.call(
    "PATCH",
    api.path(`${FLEETS}/b`),
    { metadata: { labels: { team: "red" } } },
    {
      contentType: "application/merge-patch+json",
    },
  );
  await api.server.call(
    "PATCH",
    api.path(`${FLEETS}/c`),
    { spec: { replicas: 4 } },
    {
      contentType: "application/merge-patch+json",
    },
  );
  await api.server.call("DELETE", api.path(`${FLEETS}/a`));
  api.note(await events(api, `&resourceVersion=${version}`));
  api.note(await events(api, `&resourceVersion=${version}&labelSelector=team%3Dred`));
  api.note(await events(api, `&resourceVersion=${version}&labelSelector=team%3Dblue`));
  api.note(await events(api, `&resourceVersion=${version}&fieldSelector=metadata.name%3Dc`));
  api.note(await events(api, `&resourceVersion=${version}`, TABLE));
  api.note(await events(api, `&resourceVersion=${version}`, PARTIAL));
  api.note(await events(api, ""));
  api.note(await events(api, "&resourceVersion=0"));
  api.note(await events(api, "&resourceVersion=abc"));
  api.note(await events(api, "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"));
  api.note(await events(api, "&sendInitialEvents=true"));
  await api.get(`${FLEETS}?watch=maybe`);
});

agree("the bookmark after the initial events", async (api) => {
  await three(api);
  const query = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const response = await api.server.open("GET", api.path(`${FLEETS}?watch=true&timeoutSeconds=1${query}`));
  let text = "";
  for await (const chunk of response) text += String(chunk);
  const bookmarks = text
    .split("\n")
    .filter((line) => line.includes('"BOOKMARK"'))
    .map((line) => parseJson(line));
  api.note(bookmarks[0] ?? null);
});
