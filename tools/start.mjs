/**
 * `npm start`: installs and bundles what is not there yet, then starts a cluster. The arguments are those of `stadion start`.
 * Plain JavaScript for Node 20 and later.
 */
import { isBundled, root } from "./bundled.mjs";
import { install } from "./install.mjs";
import { takenByNpm } from "./npm-flags.mjs";
import { needPinnedNode } from "./pinned-node.mjs";

const [taken] = takenByNpm(process.env);
if (taken !== undefined) {
  console.error(`error: npm keeps ${taken} for itself: flags of Stadion stand after --, as in "npm start -- ${taken}"`);
  process.exit(2);
}
await install("production");
await needPinnedNode();
if (!isBundled()) {
  try {
    const { bundle } = await import("./build/bundle.ts");
    await bundle(root, `${root}dist`);
  } catch (error) {
    console.error(`The sources are run as they are, which takes longer to start: ${error.message}`);
  }
}
process.argv.splice(1, 1, `${root}tools/stadion.mjs`, "start");
await import("./stadion.mjs");
