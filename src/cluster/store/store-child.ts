/**
 * A process for tests of the store to start, watch and kill:
 * `hold FOLDER` opens it, writes one row, says `open` and waits; `code FOLDER` says with which error opening failed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { silentLogger } from "#runtime/logger.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const [mode, folder = ""] = process.argv.slice(2);

if (mode === "hold") {
  const store = await openSqliteStore(folder, { log: silentLogger });
  const value = new TextEncoder().encode("{}");
  await store.commit([{ key: "/pods/default/held", revision: store.firstRevision, value }]);
  process.stdout.write("open\n");
  await sleep(60_000);
}
if (mode === "code")
  await openSqliteStore(folder, { log: silentLogger }).then(
    () => process.stdout.write("opened\n"),
    (error) => process.stdout.write(`${error.code} ${error.message}\n`),
  );
