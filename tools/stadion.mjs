#!/usr/bin/env node
/** `npx stadion …`: the command line, or with `npx stadion sdk-server …` the SDK server, from its bundle when that is up to date, on the pinned Node whatever Node started this. */
import * as modules from "node:module";
import { isBundled, root } from "./bundled.mjs";
import { needPinnedNode } from "./pinned-node.mjs";

await needPinnedNode();
modules.enableCompileCache(`${root}node_modules/.cache/stadion`);
// A program by itself, with flags of its own: no cluster has to run for it. It sees by what name it was called.
const name = process.argv[2] === "sdk-server" ? "sdk-server" : "stadion";
if (name === "sdk-server") process.argv.splice(1, 2, "stadion sdk-server");
await import(isBundled() ? `${root}dist/${name}.mjs` : `${root}src/bin/${name}.ts`);
