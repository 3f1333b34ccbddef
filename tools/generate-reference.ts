/** `npm run update:reference`: writes the generated blocks of `docs/reference/`; with `--verify` it only says which are not up to date. */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { generatedPages, pagePath, readPage } from "./reference/pages.ts";

const { values } = parseArgs({ options: { verify: { type: "boolean", default: false } } });

for (const [name, page] of await generatedPages()) {
  if (!values.verify) writeFileSync(pagePath(name), page);
  else if (readPage(name) !== page) {
    console.error(`docs/reference/${name}.md is not up to date; run npm run update:reference`);
    process.exitCode = 1;
  }
}
