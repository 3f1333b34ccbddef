/** The real kubectl against a test server, over TLS as kubectl wants it for a token. */
import { type ExecFileException, execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { stringifyJson } from "#api/meta/json.ts";
import { systemClock } from "#runtime/clock.ts";
import { selfSignedCertificate } from "#runtime/self-signed.ts";
import { type HttpDoor, openHttpDoor, TOKEN } from "./http-door.ts";
import type { TestOptions } from "./test-server.ts";

const KUBECTL = "/usr/bin/kubectl";

/** Tests that need it are skipped where it is not installed. */
export const hasKubectl: boolean = existsSync(KUBECTL);

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface KubectlCluster {
  readonly door: HttpDoor;
  /** Runs a command, its words parted by single blanks; `input` is a manifest, given on standard input. */
  readonly kubectl: (command: string, input?: object) => Promise<Ran>;
  /** The same, for a command that must succeed: what it prints. */
  readonly ok: (command: string, input?: object) => Promise<string>;
}

/** A server of its own, gone with the test. */
export async function openCluster(options: TestOptions = {}): Promise<KubectlCluster> {
  const door = await openHttpDoor(options);
  const kubeconfig = join(door.folder, "kubeconfig");
  const addresses = ["127.0.0.1"];
  const tls = await selfSignedCertificate({ commonName: "stadion", names: [], addresses, clock: systemClock });
  const port = await door.http.listenTcp({ host: "127.0.0.1", port: 0, tls });
  const authority = Buffer.from(tls.certificate).toString("base64");
  const named = (name: string, value: object) => [{ name: "stadion", [name]: value }];
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: named("cluster", { server: `https://127.0.0.1:${port}`, "certificate-authority-data": authority }),
    users: named("user", { token: TOKEN }),
    contexts: named("context", { cluster: "stadion", user: "stadion" }),
    "current-context": "stadion",
  };
  await writeFile(kubeconfig, stringifyJson(config));
  const kubectl = (command: string, input?: object): Promise<Ran> =>
    new Promise((resolve) => {
      const args = ["--kubeconfig", kubeconfig, "--cache-dir", join(door.folder, "cache"), ...command.split(" ")];
      const child = execFile(KUBECTL, args, { timeout: 15_000 }, (error: ExecFileException | null, out, err) =>
        resolve({ code: error ? Number(error.code ?? -1) : 0, out, err }),
      );
      child.stdin?.end(input && stringifyJson(input));
    });
  const ok = async (command: string, input?: object): Promise<string> => {
    const ran = await kubectl(command, input);
    expect(ran, `${command}: ${ran.err}`).toMatchObject({ code: 0 });
    return ran.out;
  };
  return { door, kubectl, ok };
}
