/** Game servers whose program does not run: people learn which one and why, and the set tries ever more slowly. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseJson, stringifyJson } from "#api/meta/json.ts";
import { useCluster } from "./harness/cluster.ts";
import { eventually } from "./harness/eventually.ts";
import { writeProgram } from "./harness/games.ts";
import { hasKubectl } from "./harness/kubectl.ts";
import { fleet, gameServer } from "./harness/manifests.ts";

const cluster = useCluster("--no-quick-start");

const QUITTER = "#!/bin/sh\necho no config file >&2\nexit 7\n";

interface Event {
  readonly reason: string;
  readonly message: string;
  readonly count?: number;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

interface GameServerSets {
  readonly items: readonly { readonly status?: { readonly conditions?: readonly { readonly message: string }[] } }[];
}

/** Those about objects of a kind whose name begins so. */
async function events(kind: string, name: string): Promise<readonly Event[]> {
  const { items } = await cluster.get<{ items: readonly Event[] }>("/api/v1/namespaces/default/events");
  return items.filter(({ involvedObject }) => involvedObject.kind === kind && involvedObject.name.startsWith(name));
}

/** A manifest whose container runs a program of this machine. */
function running(manifest: string, program: string): string {
  return stringifyJson(parseJson(manifest.replace('"name":"game",', `$&"command":[${JSON.stringify(program)}],`)));
}

const rows: readonly (readonly [fault: string, name: string, make: (path: string) => void, told: RegExp])[] = [
  ["is not there", "nothing", () => {}, /nothing" does not exist/],
  ["is not executable", "plain", (path) => writeProgram(path, "hello", 0o644), /plain" is not executable/],
  ["is a folder", "folder", (path) => mkdirSync(path), /folder" is not (a file|executable)/],
  [
    "is no program of this machine",
    "foreign",
    (path) => writeProgram(path, "\u007fELF nonsense"),
    /exit code 126: .*foreign: (Exec format error|.*not found)/,
  ],
  ["exits at once", "quitter", (path) => writeProgram(path, QUITTER), /game ended with exit code 7: no config file/],
];

describe("a command that", () => {
  it.each(rows)("%s is told by the server's events and by describe", async (_, name, make, told) => {
    const path = join(cluster.home, name);
    make(path);
    await cluster.stadion("apply -f -", { input: running(gameServer(name), path) });
    await cluster.server(name, "Unhealthy");
    await eventually(async () => {
      const [unhealthy] = (await events("GameServer", name)).filter(({ reason }) => reason === "Unhealthy");
      expect(unhealthy?.message).toMatch(told);
    });
    if (!hasKubectl) return;
    for (const kind of ["gs", "pod"])
      await eventually(async () => expect(await cluster.kubectl(`describe ${kind} ${name}`)).toMatch(told));
  });
});

describe("a fleet of servers that do not start", () => {
  it.each([
    [
      "that fail",
      QUITTER,
      /^container game ended with exit code 7: no config file; servers end before they are Ready; they/,
    ],
    [
      "that come to their end at once",
      "#!/bin/sh\n",
      /exited with code 0 before it said Ready: a game must call Ready/,
    ],
  ])("%s is tried ever more slowly instead of spinning, and says why", async (kind, text, words) => {
    const name = kind.replaceAll(" ", "-");
    const quitter = writeProgram(join(cluster.home, `${name}.sh`), text);
    await cluster.stadion("apply -f -", { input: running(fleet(name, { replicas: 2 }), quitter) });
    await eventually(async () => {
      const told = (await events("GameServerSet", name)).filter(({ reason }) => reason === "BackOff");
      expect(told.map(({ message }) => message)).toContainEqual(expect.stringMatching(words));
      const sets = await cluster.get<GameServerSets>("/apis/agones.dev/v1/namespaces/default/gameserversets");
      const conditions = sets.items.flatMap(({ status }) => status?.conditions ?? []);
      expect(conditions.map(({ message }) => message)).toContainEqual(expect.stringMatching(/one is tried every 4 s$/));
    });
    // Two at first, two after a second, and from then on one at a time.
    const made = (await events("GameServerSet", name)).filter(({ reason }) => reason === "SuccessfulCreate");
    expect(made.reduce((sum, { count = 1 }) => sum + count, 0)).toBeLessThanOrEqual(6);
    expect((await cluster.gameServers(name)).length).toBeLessThanOrEqual(2);

    const game = writeProgram(join(cluster.home, "game.mjs"));
    await cluster.stadion("apply -f -", { input: running(fleet(name, { replicas: 2 }), game) });
    await cluster.servers(name, 2);
    await cluster.stadion(`delete fleet ${name}`);
  });
});
