/** What came of a run, and the table that tells it. */
import { readFileSync, writeFileSync } from "node:fs";
import { rowsWith, table, withBlocks } from "../../tools/reference/markdown.ts";
import { pagePath } from "../../tools/reference/pages.ts";
import { CLIENTS, type Client } from "./clients.ts";
import { MODES } from "./modes.ts";
import { SEQUENCE_NAMES, type SequenceName } from "./sequences.ts";

const FILE = pagePath("sdk-conformance");
const cellOf = (client: Client, mode: string, sequence: string): string => `${client.title} ${mode} ${sequence}`;

export class Results {
  readonly #cells = new Map<string, string>();

  /** Notes whether it succeeds. */
  async noteTest(client: Client, mode: string, sequence: SequenceName, test: () => Promise<void>): Promise<void> {
    const cell = cellOf(client, mode, sequence);
    this.#cells.set(cell, "✗");
    await test();
    this.#cells.set(cell, "✓");
  }

  noteMissing(client: Client): void {
    for (const mode of Object.keys(MODES))
      for (const sequence of client.sequences)
        this.#cells.set(cellOf(client, mode, sequence), `not run: no ${client.tool?.[0]}`);
  }

  /** The page as it stands, and as it should. What was not run keeps what the page says of it. */
  pages(): { readonly stored: string; readonly right: string } {
    const stored = readFileSync(FILE, "utf8");
    const before = new Map(
      rowsWith(stored, "life").flatMap(({ client, mode, ...cells }) =>
        Object.entries(cells).map(([sequence, cell]) => [`${client} ${mode} ${sequence}`, cell]),
      ),
    );
    const rows = CLIENTS.flatMap((client) =>
      Object.keys(MODES).map((mode) => [
        client.title,
        mode,
        ...SEQUENCE_NAMES.map((sequence) => {
          const cell = cellOf(client, mode, sequence);
          return client.sequences.includes(sequence) ? (this.#cells.get(cell) ?? before.get(cell) ?? "not run") : "–";
        }),
      ]),
    );
    const right = withBlocks(stored, new Map([["results", table(["client", "mode", ...SEQUENCE_NAMES], rows)]]));
    return { stored, right };
  }

  write(): void {
    writeFileSync(FILE, this.pages().right);
  }
}
