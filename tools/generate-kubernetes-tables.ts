/**
 * Writes the tables of the built-in Kubernetes types that are checked in: OpenAPI definitions (structure only) and
 * protobuf field tables. They come from the published Go modules of one Kubernetes version, and from nothing else.
 *
 *     node tools/generate-kubernetes-tables.ts [--verify] [FOLDER]
 *
 * FOLDER is the module `k8s.io/kubernetes`, by default that of `VERSION` in the Go module cache; the modules `k8s.io/api` and
 * so on are looked for beside it. `--verify` writes nothing and exits 1 when a checked-in table differs.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { GoSources } from "./kubernetes-tables/go-sources.ts";
import { openApiDefinitions } from "./kubernetes-tables/openapi.ts";
import { protobufTables } from "./kubernetes-tables/protobuf.ts";

const VERSION = "1.34.4";
const root = join(import.meta.dirname, "..");

const { values, positionals } = parseArgs({
  options: { verify: { type: "boolean", default: false } },
  allowPositionals: true,
});
const kubernetes =
  positionals[0] ??
  join(execFileSync("go", ["env", "GOMODCACHE"], { encoding: "utf8" }).trim(), `k8s.io/kubernetes@v${VERSION}`);

/** `k8s.io/kubernetes@v1.34.4` goes with `k8s.io/api@v0.34.4`. */
const siblingVersion = basename(kubernetes).replace(/^.*@v1\./, "@v0.");
const sources = new GoSources((module) => join(dirname(kubernetes), `${module}${siblingVersion}`));
const swagger: unknown = JSON.parse(readFileSync(join(kubernetes, "api/openapi-spec/swagger.json"), "utf8"));

const tables: Record<string, object> = {
  "src/api/core/kubernetes-schemas.generated.json": openApiDefinitions(swagger, sources),
  "src/cluster/apiserver/protobuf/protobuf-tables.generated.json": protobufTables(sources),
};

for (const [path, table] of Object.entries(tables)) {
  const text = linePerEntry(table);
  const file = join(root, path);
  if (!values.verify) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    console.error(`${path} is not what Kubernetes ${VERSION} gives; run npm run update:kubernetes`);
    process.exitCode = 1;
  }
}

/** Compact JSON with each entry of the two outer levels on its own line, so that changes can be read. */
function linePerEntry(table: object): string {
  const entries = Object.entries(table).map(
    ([name, members]) =>
      `${JSON.stringify(name)}:{\n${Object.entries(members as object)
        .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
        .join(",\n")}\n}`,
  );
  return `{\n${entries.join(",\n")}\n}\n`;
}
