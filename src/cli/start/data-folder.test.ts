import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { busySocket } from "#tests/harness/busy-socket.ts";
import { type DataFolder, openDataFolder, writeKubeconfig } from "./data-folder.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "stadion-data-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function open(path = join(home, "d")): Promise<DataFolder> {
  const folder = await openDataFolder(path);
  onTestFinished(() => folder.release());
  return folder;
}
const modeOf = (path: string) => statSync(path).mode & 0o777;

function madeByControlPlane({ path }: DataFolder): void {
  writeFileSync(join(path, "tls.crt"), "certificate");
  writeFileSync(join(path, "token"), "secret\n");
}

test("a new folder is its owner's alone", async () => {
  const folder = await open(join(home, "deep", "d"));
  expect(folder).toMatchObject({ path: join(home, "deep", "d"), isNew: true });
  expect(modeOf(folder.path)).toBe(0o700);
});

test("a start that comes to nothing leaves no new folder, and takes away none that was there", async () => {
  const made = await open(join(home, "made"));
  made.release();
  made.discard();
  expect(existsSync(made.path)).toBe(false);
  mkdirSync(join(home, "d"));
  const there = await open();
  there.release();
  there.discard();
  expect(existsSync(there.logs)).toBe(true);
});

test("a folder that others could read is closed to them", async () => {
  mkdirSync(join(home, "d"));
  chmodSync(join(home, "d"), 0o755);
  expect(modeOf((await open()).path)).toBe(0o700);
});

test("a folder that holds something else is refused as it is; one of a start that was cut off is taken", async () => {
  const path = join(home, "d");
  mkdirSync(join(path, "logs"), { recursive: true });
  writeFileSync(join(path, "token.123"), "");
  chmodSync(path, 0o755);
  writeFileSync(join(path, "thesis.odt"), "");
  await expect(openDataFolder(path)).rejects.toMatchObject({
    code: "Usage",
    message: `${path} is no data folder of Stadion, and is not empty: name another with --data-dir, or one that is not there yet`,
  });
  expect(modeOf(path)).toBe(0o755);
  expect(readdirSync(path)).toEqual(["logs", "thesis.odt", "token.123"]);
  rmSync(join(path, "thesis.odt"));
  const taken = await open();
  madeByControlPlane(taken);
  taken.release();
  writeFileSync(join(path, "thesis.odt"), "");
  expect((await open()).path).toBe(path);
});

test("the folder is new until a cluster has served from it", async () => {
  (await open()).release();
  const second = await open();
  expect(second.isNew).toBe(true);
  madeByControlPlane(second);
  await writeKubeconfig(second, "https://127.0.0.1:1");
  second.release();
  expect((await open()).isNew).toBe(false);
});

test("a folder is not new without its kubeconfig; one with a database that no cluster has served from is", async () => {
  const first = await open();
  mkdirSync(join(first.path, "store"));
  for (const name of ["objects.db", "objects.marker"]) writeFileSync(join(first.path, "store", name), "");
  first.release();
  const second = await open();
  expect(second).toMatchObject({ isNew: true, lostDatabase: undefined });
  madeByControlPlane(second);
  await writeKubeconfig(second, "https://127.0.0.1:1");
  second.release();
  rmSync(second.kubeconfig);
  expect(await open()).toMatchObject({ isNew: false, lostDatabase: undefined });
});

test("the kubeconfig names server, certificate and token, for its owner's eyes", async () => {
  const folder = await open();
  madeByControlPlane(folder);
  await writeKubeconfig(folder, "https://127.0.0.1:8643");
  expect(modeOf(folder.kubeconfig)).toBe(0o600);
  const config = JSON.parse(readFileSync(folder.kubeconfig, "utf8")) as Record<string, unknown>;
  expect(config).toMatchObject({
    kind: "Config",
    "current-context": "stadion",
    clusters: [
      {
        name: "stadion",
        cluster: {
          server: "https://127.0.0.1:8643",
          "certificate-authority-data": Buffer.from("certificate").toString("base64"),
        },
      },
    ],
    users: [{ name: "stadion", user: { token: "secret" } }],
    contexts: [{ name: "stadion", context: { cluster: "stadion", user: "stadion", namespace: "default" } }],
  });
});

describe("the lock", () => {
  test("keeps a second supervisor out, naming the first and the folder", async () => {
    const folder = await open();
    await expect(openDataFolder(folder.path)).rejects.toMatchObject({
      code: "Usage",
      message: `the data folder ${folder.path} is in use by process ${process.pid}: stop it, or name another folder with --data-dir`,
    });
    folder.release();
    await open();
  });

  test("that a killed supervisor left behind is no obstacle", async () => {
    const folder = await open();
    folder.release();
    // A socket file that nobody listens on any more, as SIGKILL leaves it.
    const listenAndDie = `require("node:net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
    spawnSync(process.execPath, ["-e", listenAndDie, join(folder.path, "supervisor.sock")]);
    expect(statSync(join(folder.path, "supervisor.sock")).isSocket()).toBe(true);
    expect((await open()).path).toBe(folder.path);
  });

  test("goes on when a caller does not wait for the answer", async () => {
    const folder = await open();
    for (let caller = 0; caller < 20; caller++) {
      const socket = createConnection(join(folder.path, "supervisor.sock")).once("connect", () => socket.destroy());
      await once(socket, "close");
    }
    await expect(openDataFolder(folder.path)).rejects.toThrow(`is in use by process ${process.pid}`);
  });

  test("of somebody who is too busy to answer is respected, too", async () => {
    const folder = await open();
    folder.release();
    await busySocket(join(folder.path, "supervisor.sock"));
    await expect(openDataFolder(folder.path)).rejects.toThrow("is in use by process unknown");
  });

  test("of somebody who says no name is respected all the same", async () => {
    const folder = await open();
    folder.release();
    const server = createServer((socket) => socket.end()).listen(join(folder.path, "supervisor.sock"));
    onTestFinished(() => void server.close());
    await expect(openDataFolder(folder.path)).rejects.toThrow("is in use by process unknown");
  });
});

test("a token that somebody has taken away is there again, the same one", async () => {
  const folder = await open();
  const file = join(folder.path, "token");
  // Before the first control plane there is none to restore.
  folder.restoreToken();
  expect(existsSync(file)).toBe(false);
  madeByControlPlane(folder);
  folder.restoreToken();
  rmSync(file);
  folder.restoreToken();
  expect(readFileSync(file, "utf8")).toBe("secret");
  expect(modeOf(file)).toBe(0o600);
});

test("a path too long for sockets is refused with its length", async () => {
  const path = join(home, "x".repeat(80));
  await expect(openDataFolder(path)).rejects.toMatchObject({
    code: "Usage",
    message: `the data folder's path may have 80 bytes at most, since sockets stand in it; found ${path.length}: ${path}`,
  });
});

test("a path that cannot be written is refused by its name", async () => {
  writeFileSync(join(home, "file"), "");
  await expect(openDataFolder(join(home, "file"))).rejects.toMatchObject({
    code: "Usage",
    message: expect.stringContaining(`the data folder ${home}/file cannot be written: `),
  });
});

describe("what this user may not write is refused, and said to be no more than that", () => {
  /** What somebody without rights is told. */
  function refusal(path: string): string {
    const script = `const { openDataFolder } = await import(${JSON.stringify(join(import.meta.dirname, "data-folder.ts"))});
      openDataFolder(${JSON.stringify(path)}).then(() => process.exit(), ({ code, message }) => console.log(code, message));`;
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    chmodSync(home, 0o755);
    const args = ["--input-type=module", "-e", script];
    return String(spawnSync(process.execPath, args, { cwd: import.meta.dirname, ...nobody }).stdout).trim();
  }

  test("a folder", () => {
    mkdirSync(join(home, "closed"), { mode: 0o555 });
    chmodSync(join(home, "closed"), 0o555);
    const path = join(home, "closed", "d");
    expect(refusal(path)).toBe(`Usage the data folder ${path} cannot be written: this user may not write ${path}`);
  });

  test("a database", () => {
    const [path, file] = [join(home, "d"), join(home, "d", "store", "objects.db")];
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "", { mode: 0o444 });
    for (const each of [path, dirname(file), file]) if (process.getuid?.() === 0) chownSync(each, 65_534, 65_534);
    expect(refusal(path)).toBe(`Usage the data folder ${path} cannot be written: this user may not write ${file}`);
  });
});

test.skipIf(!existsSync("/proc/self"))("a folder where none can be made is refused, and the attempt ends", async () => {
  await expect(openDataFolder("/proc/stadion/d")).rejects.toMatchObject({
    code: "Usage",
    message: "the data folder /proc/stadion/d cannot be written: the folder /proc/stadion cannot be made",
  });
});

test("a database that is gone from a folder of a cluster that has served is told", async () => {
  const first = await open();
  expect(first.lostDatabase).toBeUndefined();
  madeByControlPlane(first);
  await writeKubeconfig(first, "https://127.0.0.1:1");
  first.release();
  const second = await open();
  expect(second).toMatchObject({ isNew: false, lostDatabase: join(second.path, "store") });
  second.release();
  // What is left of one is refused when it is opened.
  writeFileSync(join(second.path, "store", "objects.marker"), "");
  expect((await open()).lostDatabase).toBeUndefined();
});

test("a folder whose lock cannot be made is refused by its name", async () => {
  const folder = await open();
  folder.release();
  mkdirSync(join(folder.path, "supervisor.sock"));
  await expect(openDataFolder(folder.path)).rejects.toMatchObject({ code: "Usage" });
});
