import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { TransportError } from "#kube/transport.ts";
import { FakeClock, systemClock } from "#runtime/clock.ts";
import { AnswerLost, apiSocket, connect, supervisorSocket, unusable } from "./connection.ts";

const listening = (server: Server, path: string): Promise<void> => {
  onTestFinished(() => new Promise((done) => void server.close(() => done())));
  return new Promise((done) => void server.listen(path, done));
};

/** A data folder whose control plane was killed, with a supervisor that lives or without. */
async function folderOf({ supervised }: { readonly supervised: boolean }): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "stadion-connection-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(apiSocket(folder), "");
  if (supervised)
    await listening(
      createServer((socket) => void socket.end()),
      supervisorSocket(folder),
    );
  return folder;
}

const version = { method: "GET", path: "/version" } as const;

test("what is asked while the control plane is started again waits for it", async () => {
  const folder = await folderOf({ supervised: true });
  const { transport, close } = connect(folder, systemClock);
  onTestFinished(close);
  const answer = transport.exchange(version);
  let isSettled = false;
  void answer.finally(() => (isSettled = true));
  await systemClock.sleep(200);
  expect(isSettled).toBe(false);

  unlinkSync(apiSocket(folder));
  await listening(
    createHttpServer((_, response) => void response.end('{"major":"1"}')),
    apiSocket(folder),
  );
  expect(await answer).toEqual({ major: "1" });
});

test("it waits 10 s and no longer", async () => {
  const folder = await folderOf({ supervised: true });
  const clock = new FakeClock();
  const { transport, close } = connect(folder, clock);
  onTestFinished(close);
  let failed: unknown;
  const answer = transport.exchange(version).catch((error: unknown) => {
    failed = error;
  });
  await clock.advance(9_000);
  expect(failed).toBeUndefined();
  await clock.advance(2_000);
  await answer;
  expect(failed).toBeInstanceOf(TransportError);
});

test("without a supervisor nobody will come, and nothing waits", async () => {
  const { transport, close } = connect(await folderOf({ supervised: false }), new FakeClock());
  onTestFinished(close);
  await expect(transport.exchange(version)).rejects.toBeInstanceOf(TransportError);
});

test("what reads is asked again when its connection breaks; what writes may have been done", async () => {
  const folder = await folderOf({ supervised: true });
  unlinkSync(apiSocket(folder));
  const asked: string[] = [];
  await listening(
    createHttpServer((request, response) => {
      asked.push(request.method ?? "");
      if (asked.length === 1 || request.method === "POST") request.socket.destroy();
      else response.end('{"major":"1"}');
    }),
    apiSocket(folder),
  );
  const { transport, close } = connect(folder, systemClock);
  onTestFinished(close);
  expect(await transport.exchange(version)).toEqual({ major: "1" });
  await expect(transport.exchange({ ...version, method: "POST" })).rejects.toBeInstanceOf(AnswerLost);
  expect(asked).toEqual(["GET", "GET", "POST"]);
});

test("without a supervisor nothing waits that breaks either", async () => {
  const folder = await folderOf({ supervised: false });
  unlinkSync(apiSocket(folder));
  await listening(
    createHttpServer((request) => void request.socket.destroy()),
    apiSocket(folder),
  );
  const { transport, close } = connect(folder, new FakeClock());
  onTestFinished(close);
  await expect(transport.exchange(version)).rejects.toBeInstanceOf(TransportError);
});

test("no folder and no cluster in it are told apart from a folder that is another's, or that is none", () => {
  const fault = (folder: string) => {
    try {
      connect(folder, new FakeClock());
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const folder = mkdtempSync(join(tmpdir(), "stadion-connection-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "file");
  writeFileSync(file, "");
  for (const empty of [folder, join(folder, "none")])
    expect(fault(empty)).toMatchObject({
      code: "NotRunning",
      message: expect.stringContaining(`no cluster runs in ${empty}: start one`),
    });
  for (const none of [file, join(file, "deeper")])
    expect(fault(none)).toMatchObject({ code: "Usage", message: `${none} is no folder` });
});

test("of a folder that this user may not look into, nobody says that no cluster runs there", () => {
  // Nothing hinders root, as whom tests may run.
  for (const code of ["EACCES", "EPERM"]) {
    const cause = Object.assign(new Error(`${code}: no`), { code });
    expect(unusable("/data", cause)).toMatchObject({
      code: "Usage",
      cause,
      message:
        "this user may not use /data: it is for the user who started a cluster there; name another with --data-dir",
    });
  }
});
