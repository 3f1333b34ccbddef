/**
 * A process for tests of the store to start, watch and kill. It opens the folder of its second argument and, by its first:
 * `hold` writes one row, says `open` and waits; `code` says with which error opening failed;
 * `answer` writes objects one after another and says so after each; `race` writes many at once, forever, and says what was acknowledged.
 */
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { type ObjectStore, openObjectStore } from "./object-store.ts";
import { openSqliteStore } from "./sqlite-store.ts";

const [mode, folder = ""] = process.argv.slice(2);
const say = (line: string) => writeSync(1, `${line}\n`);
const openStore = () => openSqliteStore(folder, { log: silentLogger });
const openObjects = async (): Promise<ObjectStore> =>
  openObjectStore(await openStore(), {
    volatile: (collection) => collection === "/events",
    clock: systemClock,
    log: silentLogger,
  });

async function race(objects: ObjectStore, writer: number): Promise<never> {
  for (let serial = 0; ; serial++) {
    const collection = writer === 0 ? "/events" : "/pods";
    const key = `default/${writer}-${serial % 5}`;
    const remove = serial % 7 === 6;
    const { stored } = await objects.write(collection, key, () =>
      remove ? "delete" : { metadata: { name: key }, padding: "x".repeat((serial * 97) % 3_000) },
    );
    say(`${collection} ${key} ${stored?.revision ?? "gone"}`);
    if (writer === 0) await sleep(1);
  }
}

switch (mode) {
  case "hold": {
    const store = await openStore();
    const value = new TextEncoder().encode("{}");
    await store.commit([{ key: "/pods/default/held", revision: store.firstRevision, value }]);
    say("open");
    await sleep(60_000);
    break;
  }
  case "code":
    await openStore().then(
      () => say("opened"),
      (error) => say(`${error.code} ${error.message}`),
    );
    break;
  case "answer": {
    const objects = await openObjects();
    for (let serial = 0; serial < 5; serial++) {
      await objects.write("/pods", `default/${serial}`, () => ({ metadata: { name: `${serial}` } }));
      say(`answer ${serial}`);
    }
    await objects.close();
    break;
  }
  case "race": {
    const objects = await openObjects();
    await Promise.all(Array.from({ length: 8 }, (_, writer) => race(objects, writer)));
  }
}
