#!/usr/bin/env node
/** `npx stadion …`: the command line, from its bundle when that is up to date, on the pinned Node whatever Node started this. */
import * as modules from "node:module";
import { isBundled, root } from "./bundled.mjs";
import { needPinnedNode } from "./pinned-node.mjs";

await needPinnedNode();
modules.enableCompileCache(`${root}node_modules/.cache/stadion`);
await import(isBundled() ? `${root}dist/stadion.mjs` : `${root}src/bin/stadion.ts`);
