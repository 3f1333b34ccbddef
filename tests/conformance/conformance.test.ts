/** Games that are written with published clients, in each of the ways to run our SDK server. */
import { spawnSync } from "node:child_process";
import { beforeAll, describe, test } from "vitest";
import { useCluster } from "#tests/harness/cluster.ts";
import { Program } from "#tests/harness/program.ts";
import { CLIENTS } from "./clients.ts";
import { GATES, MODES } from "./modes.ts";
import { SEQUENCES } from "./sequences.ts";

const cluster = useCluster("--no-quick-start", "--feature-gates", GATES);

const isMissing = ([file, ...args]: readonly string[] = []): boolean =>
  file !== undefined && spawnSync(file, args, { stdio: "ignore" }).status !== 0;

for (const client of CLIENTS) {
  describe.skipIf(isMissing(client.tool))(client.title, () => {
    let command: Awaited<ReturnType<typeof client.make>>;
    beforeAll(async () => {
      command = await client.make();
    }, 600_000);

    for (const [name, mode] of Object.entries(MODES))
      test.each(client.sequences)(`${name}: %s`, async (sequenceName) => {
        const sequence = SEQUENCES[sequenceName];
        const words = sequence({ name: "", uid: "", created: 0 }).steps.map(([call]) => call);
        const [file, ...args] = command;
        await mode(cluster, {
          name: `${client.id}-${sequenceName}-${name.replace(" ", "-")}`,
          sequence,
          start: (env) => new Program(file, [...args, ...words], { env }),
        });
      });
  });
}
