/** Local mode's page in a real browser: it shows the GameServer as it is now, and its buttons change it. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { hasChromium, startChromium } from "./harness/chromium.ts";
import { eventually } from "./harness/eventually.ts";
import { type Sdk, SdkServerProgram } from "./harness/sdk-server.ts";

const HOSTILE = "<img src=x onerror=document.title='taken'>";
const MANIFEST = `
kind: GameServer
metadata: { name: duel, namespace: games, annotations: { note: "${HOSTILE}" } }
status:
  state: Ready
  counters: { rooms: { count: 1, capacity: 9223372036854775807 } }
  lists: { players: { capacity: 3, values: [ann] } }
`;

describe.skipIf(!hasChromium)("the page of local mode", () => {
  let browser: Browser;
  let program: SdkServerProgram;
  let sdk: Sdk;
  let page: Page;
  const faults: string[] = [];

  beforeAll(async () => {
    const file = join(mkdtempSync(join(inject("runFolder"), "page-")), "server.yaml");
    writeFileSync(file, MANIFEST);
    program = new SdkServerProgram([
      "--local",
      "--grpc-port=0",
      "--http-port=0",
      "--feature-gates=PlayerTracking=true",
      "-f",
      file,
    ]);
    browser = await startChromium();
    sdk = await program.client();
    page = await browser.newPage();
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      // What a refused request prints by itself.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        faults.push(message.text());
    });
    await page.goto(`http://localhost:${(await program.ports()).httpPort}/`);
  });

  afterAll(async () => {
    await browser?.close();
    await program?.[Symbol.asyncDispose]();
  });

  const shows = (role: "status" | "alert" | "heading", text: string) =>
    page.getByRole(role).filter({ hasText: text }).first().waitFor();
  const region = (name: string) => page.getByRole("region", { name });
  const status = async () => (await sdk.getGameServer()).status;
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();

  test("shows the GameServer, text as text", async () => {
    await shows("heading", "games/duel");
    await shows("status", "Ready");
    await region("Annotations").getByText(HOSTILE).waitFor();
    await region("Counters").getByText("1 of 9223372036854775807").waitFor();
    await region("Lists").getByText("1 of 3").waitFor();
    expect(await page.title()).toBe("duel · Ready");
  });

  test("a press on Allocate allocates, and what a game does is shown without a reload", async () => {
    await press("Allocate");
    await shows("status", "Allocated");
    expect((await status())?.state).toBe("Allocated");
    await sdk.ready();
    await shows("status", "Ready");
    await region("What happened").getByText('status.state: "Allocated" → "Ready"').waitFor();
  });

  test("labels are set", async () => {
    await page.getByLabel("key of the label").fill("mode");
    await page.getByLabel("value of the label").fill("duel");
    await press("Set label");
    await region("Labels").getByText("agones.dev/sdk-mode").waitFor();
    expect(Object.fromEntries((await sdk.getGameServer()).objectMeta?.labelsMap ?? [])).toEqual({
      "agones.dev/sdk-mode": "duel",
    });
  });

  test("counters, lists and players are changed, and a refusal is told", async () => {
    await press("one more of rooms");
    await region("Counters").getByText("2 of 9223372036854775807").waitFor();
    await page.getByLabel("value for players").fill("ben");
    await region("Lists").getByRole("button", { name: "Add" }).click();
    await press("remove ann");
    await region("Lists").getByRole("button", { name: "remove ben" }).waitFor();
    await eventually(async () =>
      expect(await status()).toMatchObject({
        countersMap: [["rooms", { count: 2 }]],
        listsMap: [["players", { valuesList: ["ben"] }]],
      }),
    );
    await page.getByLabel("count of rooms").fill("-1");
    await region("Counters").getByRole("button", { name: "Set count" }).click();
    await shows("alert", "out of range");
    await region("Counters").getByText("2 of 9223372036854775807").waitFor();
  });

  test("nothing of it failed, and nothing of the GameServer ran", async () => {
    expect(faults).toEqual([]);
    expect(await page.title()).toBe("duel · Ready");
  });
});
