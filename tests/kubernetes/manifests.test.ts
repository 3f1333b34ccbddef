/** What documentation shows is taken, completed, kept, printed and replaced alike. */
import type { JsonObject } from "#api/meta/json.ts";
import { agree } from "./agreement/agree.ts";
import { objectPath } from "./agreement/api-server.ts";
import { manifests } from "./agreement/objects.ts";

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

for (const { name, object } of manifests) {
  agree(name, async (api) => {
    api.generates("duel-");
    const { body } = await api.create(object);
    if (object.kind === "GameServerAllocation") {
      await api.create(object, "?dryRun=All");
      return;
    }
    const { name = "" } = ((body as JsonObject).metadata ?? {}) as JsonObject;
    const collection = objectPath(object, "NS");
    const path = `${collection}/${name}`;
    api.note("read", await api.quietly("GET", path));
    api.note("table", (await api.server.call("GET", api.path(collection), undefined, { accept: TABLE })).body);
    // The same again changes nothing, not even the generation.
    api.note("the same again", await api.quietly("PUT", path, await api.quietly("GET", path)));
    api.note("deleted", await api.quietly("DELETE", path));
  });
}
