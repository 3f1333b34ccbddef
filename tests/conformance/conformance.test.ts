/** Games that are written with published clients, in each of the ways to run our SDK server. */
import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { useCluster } from "#tests/harness/cluster.ts";
import { Program } from "#tests/harness/program.ts";
import { CLIENTS } from "./clients.ts";
import { GATES, MODES } from "./modes.ts";
import { Results } from "./results.ts";
import { SEQUENCES } from "./sequences.ts";

const cluster = useCluster("--no-quick-start", "--feature-gates", GATES);
const results = new Results();
const write = process.env.STADION_CONFORMANCE === "write";

const succeeds = ([file, ...args]: readonly [string, ...string[]]): boolean =>
  spawnSync(file, args, { stdio: "ignore" }).status === 0;

for (const client of CLIENTS) {
  const isMissing = client.tool !== undefined && !succeeds(client.tool);
  if (isMissing) console.log(`${client.title}: not run: no ${client.tool?.[0]}`);
  // Elsewhere they may have been run.
  if (isMissing && write) results.noteMissing(client);

  describe.skipIf(isMissing)(client.title, () => {
    let command: Awaited<ReturnType<typeof client.make>>;
    beforeAll(async () => {
      command = await client.make();
    }, 900_000);

    for (const [name, mode] of Object.entries(MODES))
      test.each(client.sequences)(`${name}: %s`, async (sequenceName) => {
        const sequence = SEQUENCES[sequenceName];
        const words = sequence({ name: "", uid: "", created: 0 }).steps.map(([call]) => call);
        const [file, ...args] = command;
        await results.noteTest(client, name, sequenceName, () =>
          mode(cluster, {
            name: `${client.id}-${sequenceName}-${name.replace(" ", "-")}`,
            sequence,
            start: (env) => new Program(file, [...args, ...words], { env }),
          }),
        );
      });
  });
}

test("the page tells what came of it", () => {
  if (write) results.write();
  const { stored, right } = results.pages();
  expect(stored, "run npm run test:conformance -- --write").toBe(right);
});
