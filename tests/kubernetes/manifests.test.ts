/** What documentation shows is taken, completed, kept, printed and replaced alike. */
import { type JsonObject, stringifyJson } from "#api/meta/json.ts";
import { agree } from "./agreement/agree.ts";
import { objectPath } from "./agreement/api-server.ts";
import { allocations, manifests } from "./agreement/manifests.ts";

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

for (const [position, manifest] of manifests.entries()) {
  agree(`manifest ${position}: ${manifest.kind} ${stringifyJson(manifest.metadata ?? {})}`, async (api) => {
    api.generates("duel-");
    const { body } = await api.create(manifest);
    const { name = "" } = ((body as JsonObject).metadata ?? {}) as JsonObject;
    const collection = objectPath(manifest, "NS");
    const path = `${collection}/${name}`;
    const read = async () => (await api.server.call("GET", api.path(path))).body;
    api.note("read", await read());
    api.note("table", (await api.server.call("GET", api.path(collection), undefined, { accept: TABLE })).body);
    // The same again changes nothing, not even the generation.
    api.note("the same again", (await api.server.call("PUT", api.path(path), await read())).body);
    api.note("deleted", (await api.server.call("DELETE", api.path(path))).body);
  });
}

for (const [position, request] of allocations.entries()) {
  agree(`request ${position} for a game server, where there is none`, async (api) => {
    await api.create(request);
    await api.create(request, "?dryRun=All");
  });
}
