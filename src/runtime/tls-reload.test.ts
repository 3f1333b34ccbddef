import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "./clock.ts";
import { type Logger, silentLogger } from "./logger.ts";
import { createAuthority } from "./tls-authority.ts";
import { CertificateError, type CertificateFiles, loadCertificate } from "./tls-reload.ts";

const clock = systemClock;
const authority = await createAuthority({ commonName: "test", clock });
const issue = (commonName: string) => authority.issue({ commonName });

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "tls-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const filesIn = (path: string): CertificateFiles => ({ certFile: join(path, "a.crt"), keyFile: join(path, "a.key") });

/** Time that settles at once and never comes round by itself: what is seen was told by the system. */
const quick = { ...clock, sleep: async () => {}, after: () => () => {} };

async function reloading(files: CertificateFiles, log: Logger = silentLogger) {
  const certificate = await loadCertificate(files, { clock: quick, log });
  const stop = new AbortController();
  const running = certificate.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return certificate;
}

test("a renewed pair is told to those who listen", async () => {
  const files = filesIn(folder());
  const [first, second] = [await issue("first"), await issue("second")];
  writeFileSync(files.certFile, first.certificate);
  writeFileSync(files.keyFile, first.key);
  const certificate = await reloading(files);
  expect(certificate.current).toEqual(first);
  const told: unknown[] = [];
  certificate.onChange((next) => told.push(next));
  writeFileSync(files.keyFile, second.key);
  writeFileSync(files.certFile, second.certificate);
  await vi.waitFor(() => expect(told.at(-1)).toEqual(second));
  expect(certificate.current).toEqual(second);
});

test("a Secret that is mounted is renewed by a link beside its files", async () => {
  const path = folder();
  const [first, second] = [await issue("first"), await issue("second")];
  for (const [version, { key, certificate }] of Object.entries({ v1: first, v2: second })) {
    writeFileSync(join(path, `${version}.crt`), certificate);
    writeFileSync(join(path, `${version}.key`), key);
  }
  const link = (version: string) => {
    for (const kind of ["crt", "key"]) {
      symlinkSync(`${version}.${kind}`, join(path, `next.${kind}`));
      renameSync(join(path, `next.${kind}`), join(path, `a.${kind}`));
    }
  };
  link("v1");
  const certificate = await reloading(filesIn(path));
  link("v2");
  await vi.waitFor(() => expect(certificate.current).toEqual(second));
});

test("a pair that does not fit together leaves the old one in place and is logged", async () => {
  const files = filesIn(folder());
  const [first, second] = [await issue("first"), await issue("second")];
  writeFileSync(files.certFile, first.certificate);
  writeFileSync(files.keyFile, first.key);
  const errors: string[] = [];
  const certificate = await reloading(files, { ...silentLogger, error: (_, message) => errors.push(message) });
  writeFileSync(files.certFile, second.certificate);
  await vi.waitFor(() => expect(errors).toContain("certificate not reloaded"));
  expect(certificate.current).toEqual(first);
  writeFileSync(files.keyFile, second.key);
  await vi.waitFor(() => expect(certificate.current).toEqual(second));
});

test.each([
  ["absent", undefined],
  ["no certificate", "hello"],
])("files that are %s at the start are an error that names them", async (_what, content) => {
  const files = filesIn(folder());
  if (content) writeFileSync(files.certFile, content);
  if (content) writeFileSync(files.keyFile, content);
  const error = await loadCertificate(files, { clock, log: silentLogger }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CertificateError);
  expect((error as Error).message).toContain(files.certFile);
});
