/** `npm run build`: the programs as single files of plain JavaScript in `dist/`, with what they need beside them. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./build/bundle.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, "dist");
rmSync(folder, { recursive: true, force: true });
for (const [name, bytes] of await bundle(root, folder))
  console.log(`${String(Math.ceil(bytes / 1024)).padStart(6)} KB  dist/${name}`);
