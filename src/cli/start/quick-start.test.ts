import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { apiSocket } from "../connection.ts";
import { Session } from "../session.ts";
import { QUICK_START_FLEET, QuickStart } from "./quick-start.ts";

const KINDS = {
  resources: [{ name: "fleets", singularName: "fleet", kind: "Fleet", namespaced: true, verbs: ["get", "create"] }],
};
const FLEETS = "/apis/agones.dev/v1/namespaces/default/fleets";

/** A data folder with a manifest, and an API in it once `open` is called, which answers what `answer` says. */
function start(answer: (request: string) => Promise<readonly [code: number, body: object]>) {
  const dataDir = mkdtempSync(join(tmpdir(), "stadion-quick-"));
  const asked: string[] = [];
  const server = createServer(async ({ method, url = "" }, response) => {
    const request = `${method} ${url.split("?")[0]}`;
    asked.push(request);
    const [code, body] = await answer(request);
    response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const manifest = join(dataDir, "fleet.json");
  const fleet = { apiVersion: "agones.dev/v1", kind: "Fleet", metadata: { name: QUICK_START_FLEET } };
  writeFileSync(manifest, JSON.stringify(fleet));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    rmSync(dataDir, { recursive: true, force: true });
  });
  const never = new AbortController().signal;
  const session = new Session({
    terminal: { out: () => {}, err: () => {} },
    interrupted: never,
    hurried: never,
    unread: never,
    path: "",
    divertSignals: () => () => {},
    dataDir: () => dataDir,
    agentAt: () => Promise.reject(new Error("no agent")) as never,
  });
  const open = () => new Promise<void>((done) => server.listen(apiSocket(dataDir), done));
  return { asked, open, quickStart: new QuickStart(session, manifest, systemClock) };
}

/** What an API answers on the way of a fleet of no servers. */
async function serving(request: string): Promise<readonly [number, object]> {
  if (request === "GET /apis/agones.dev/v1") return [200, KINDS];
  if (request === `POST ${FLEETS}`) return [201, {}];
  if (request.startsWith("GET /apis/agones.dev/v1/namespaces/default/gameservers")) return [200, { items: [] }];
  return [200, { metadata: {}, spec: { replicas: 0 } }];
}

test("asks what kinds there will be as soon as the socket is there, once, and makes the fleet when told to", async () => {
  const { asked, open, quickStart } = start(serving);
  await using _ = quickStart;
  await open();
  await expect.poll(() => asked).toEqual(["GET /apis/agones.dev/v1"]);
  await quickStart.make();
  expect(asked.slice(1, 3)).toEqual([`POST ${FLEETS}`, `GET ${FLEETS}/${QUICK_START_FLEET}`]);
});

test("asks once more what an API that ended meanwhile did not answer", async () => {
  let broken = true;
  const { asked, open, quickStart } = start(async (request) => {
    const answer = broken ? ([503, { kind: "Status", reason: "ServiceUnavailable", code: 503 }] as const) : undefined;
    broken = false;
    return answer ?? serving(request);
  });
  await using _ = quickStart;
  await open();
  await expect.poll(() => asked).toHaveLength(1);
  await quickStart.make();
  expect(asked.slice(0, 2)).toEqual(["GET /apis/agones.dev/v1", "GET /apis/agones.dev/v1"]);
});

test("is ended before there is a socket", async () => {
  const { asked, open, quickStart } = start(serving);
  await quickStart[Symbol.asyncDispose]();
  await open();
  await expect(quickStart.make()).rejects.toThrow();
  expect(asked).toEqual([]);
});
