import { X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeClock } from "#runtime/clock.ts";
import { apiCertificate, certificateFile } from "./api-certificate.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stadion-certificate-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const clock = new FakeClock();
const loopback = () => apiCertificate(folder, ["127.0.0.1"], clock);

test("is made for the addresses, for its owner's eyes, and kept", async () => {
  const made = await loopback();
  const parsed = new X509Certificate(made.certificate);
  expect(parsed.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(parsed.checkHost("localhost")).toBe("localhost");
  expect(readFileSync(certificateFile(folder), "utf8")).toBe(made.certificate);
  for (const file of ["tls.crt", "tls.key"]) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  expect(await loopback()).toEqual(made);
});

test("is made anew for an address it lacks, and before it ends", async () => {
  const made = await loopback();
  const wider = await apiCertificate(folder, ["127.0.0.1", "192.0.2.1"], clock);
  expect(wider.certificate).not.toBe(made.certificate);
  const late = new FakeClock(new X509Certificate(wider.certificate).validToDate.getTime() - 1000);
  const renewed = await apiCertificate(folder, ["127.0.0.1", "192.0.2.1"], late);
  expect(renewed.certificate).not.toBe(wider.certificate);
});

test.each(["tls.crt", "tls.key"])("is made anew when %s is damaged or missing", async (file) => {
  const made = await loopback();
  writeFileSync(join(folder, file), "damaged");
  const second = await loopback();
  expect(second.certificate).not.toBe(made.certificate);
  rmSync(join(folder, file));
  expect((await loopback()).certificate).not.toBe(second.certificate);
});

test("a key beside another key's certificate is no pair", async () => {
  await loopback();
  const certificate = readFileSync(join(folder, "tls.crt"));
  rmSync(join(folder, "tls.key"));
  await loopback();
  writeFileSync(join(folder, "tls.crt"), certificate);
  const mended = await loopback();
  expect(mended.certificate).not.toBe(certificate.toString());
});

test("a folder in the place of a file is told by its name, and left alone", async () => {
  mkdirSync(join(folder, "tls.crt"));
  await expect(loopback()).rejects.toMatchObject({
    code: "InvalidConfig",
    message: `${join(folder, "tls.crt")} cannot be read: it is a folder. Take it away, and the next start makes it anew`,
  });
  expect(statSync(join(folder, "tls.crt")).isDirectory()).toBe(true);
});
