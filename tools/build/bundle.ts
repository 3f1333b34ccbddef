/** Bundles the programs into single files of plain JavaScript, which start several times faster than the sources. */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { type BuildOptions, build, type Plugin, stop } from "esbuild";
import { parse } from "yaml";

/** What is built: the name of a bundle and the file it starts with. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  stadion: "src/bin/stadion.ts",
  "control-plane": "src/bin/control-plane.ts",
  "node-agent": "src/bin/node-agent.ts",
  controller: "src/bin/controller.ts",
  extensions: "src/bin/extensions.ts",
  ping: "src/bin/ping.ts",
  "sdk-server": "src/bin/sdk-server.ts",
  "wasm-worker": "src/controllers/fleetautoscaler/wasm-worker.ts",
  "sqlite-worker": "src/cluster/store/sqlite-worker.ts",
  "spawn-helper": "src/cluster/node/spawn-helper.ts",
  "simple-game-server": "examples/simple-game-server/server.ts",
};

/** Manifests that programs read, in JSON: it needs no parser that is loaded for it. */
const MANIFESTS: readonly string[] = ["examples/simple-game-server/fleet.yaml"];

/** What decides about the bundles without being part of one. */
const SETTINGS: readonly string[] = ["package-lock.json", "tsconfig.json", "tools/build/bundle.ts"];

/** Inputs by path, each with its size and time of change; the last file to be written, so that it speaks of a whole build. */
export const SOURCES_FILE = "sources.json";

/** A bundle would not run: it asks for a file or a package that is not there, or for one that would not be what it was. */
export class BuildError extends Error {
  override readonly name = "BuildError";
  readonly code = "IncompleteBundle";
}

/**
 * Builds all programs into `folder`, and returns the bytes of each file. A file is replaced whole: what runs already, and opens
 * one of them later, finds one. Throws `BuildError`, or what esbuild throws.
 */
export async function bundle(root: string, folder: string): Promise<ReadonlyMap<string, number>> {
  const { outputFiles, metafile } = await build({
    ...bundling(),
    absWorkingDir: root,
    entryPoints: { ...PROGRAMS },
    outdir: folder,
    metafile: true,
    write: false,
    // Else its process would stay as long as the cluster that is started next.
  }).finally(stop);
  const sources = Object.keys(metafile.inputs).filter((path) => !/(^|\/)node_modules\/|^(builtin|on-use):/.test(path));
  const files = new Map<string, Uint8Array>(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const copied = sources.flatMap((source) => dataFiles(root, source));
  for (const file of copied) files.set(basename(file), readFileSync(join(root, file)));
  for (const file of MANIFESTS) {
    const manifest = JSON.stringify(parse(readFileSync(join(root, file), "utf8")));
    files.set(basename(file).replace(/yaml$/, "json"), Buffer.from(manifest));
  }

  for (const { path, imports } of Object.entries(metafile.outputs).map(([path, output]) => ({ path, ...output })))
    for (const { path: missing } of imports) throw new BuildError(`${path} still imports ${missing}`);
  for (const { path, text } of outputFiles)
    for (const [, needed = ""] of text.matchAll(/(?:\bnew URL|\brequire\w*|\))\(\s*["'`]\.\/([^"'`$]+)/g)) {
      const found = [...files.keys()].some((name) => name.startsWith(needed));
      if (!found) throw new BuildError(`${path} asks for ${needed}, which is not in the build`);
    }

  mkdirSync(folder, { recursive: true });
  const inputs = [...sources, ...copied, ...MANIFESTS, ...SETTINGS].map((path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    return [path, [size, mtimeMs]];
  });
  files.set(SOURCES_FILE, Buffer.from(JSON.stringify(Object.fromEntries(inputs))));
  for (const [name, content] of files) {
    const draft = join(folder, `.${name}.${process.pid}`);
    writeFileSync(draft, content);
    renameSync(draft, join(folder, name));
  }
  return new Map([...files].map(([name, { byteLength }]) => [name, byteLength]));
}

/** What every bundle is made with. */
export const bundling = (): BuildOptions => ({
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node26",
  plugins: [builtinsOnUse, packagesOnUse],
  logLevel: "warning",
});

/** The generated JSON files that a source asks for by their place beside it. */
function dataFiles(root: string, source: string): readonly string[] {
  const text = readFileSync(join(root, source), "utf8");
  return [...text.matchAll(/\("\.\/([\w.-]+\.generated\.json)"\)/g)].map(([, name = ""]) =>
    join(dirname(source), name),
  );
}

/** Built-in modules that take long to load, and that few runs of a program need. */
const BUILTINS_ON_USE: readonly string[] = ["crypto", "http", "http2", "https", "tls", "worker_threads", "zlib"];

/** Packages in CommonJS of the same kind. */
const PACKAGES_ON_USE: readonly string[] = ["yaml"];

/**
 * Built-in modules, each of whose exports is got when it is used; most of them are loaded when the bundle starts. An `import` of `node:http`
 * reads all exports at once, and with them loads a WebSocket and a fetch: 60 ms of processor time in each process. It also lets packages
 * in CommonJS ask for built-in modules.
 */
const builtinsOnUse: Plugin = {
  name: "builtins-on-use",
  setup(build) {
    const bare = builtinModules.filter((name) => !name.startsWith("_")).join("|");
    build.onResolve({ filter: new RegExp(`^(node:.*|${bare})$`) }, ({ path }) => ({
      path: path.replace(/^node:/, ""),
      namespace: "builtin",
    }));
    build.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => {
      const got = `process.getBuiltinModule(${JSON.stringify(`node:${path}`)})`;
      return { contents: BUILTINS_ON_USE.includes(path) ? onUse(path, got) : `module.exports = ${got};` };
    });
  },
};

const packagesOnUse: Plugin = {
  name: "packages-on-use",
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(${PACKAGES_ON_USE.join("|")})$`) }, ({ path, namespace }) =>
      namespace === "on-use" ? undefined : { path, namespace: "on-use" },
    );
    build.onLoad({ filter: /.*/, namespace: "on-use" }, ({ path }) => ({
      contents: onUse(path, `require(${JSON.stringify(path)})`),
      resolveDir: import.meta.dirname,
    }));
  },
};

/** A module with the exports of `path`, loaded by `load` when the first of them is used. Throws `BuildError` for one that is a function itself. */
export function onUse(path: string, load: string): string {
  const module: unknown = createRequire(import.meta.url)(path);
  if (typeof module !== "object" || module === null)
    throw new BuildError(`${path} cannot be loaded on use: it is no object`);
  const getters = Object.keys(module).map((name) => `get ${name}() { return loaded().${name}; }`);
  return `const loaded = () => ${load};\nmodule.exports = { ${getters.join(", ")} };`;
}
