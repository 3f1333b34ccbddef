import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { FakeClock, systemClock } from "./clock.ts";
import { isServiceable, selfSignedCertificate } from "./self-signed.ts";

const make = (clock = systemClock) =>
  selfSignedCertificate({ commonName: "stadion", names: ["localhost"], addresses: ["127.0.0.1"], clock });

test("a client that is handed the certificate trusts the server by address and by name, and no other client does", async () => {
  const { key, certificate } = await make();
  const server = createServer({ key, cert: certificate }, (_, response) => response.end("well"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const ask = async (options: object): Promise<string> => {
    const sent = request({ port, host: "127.0.0.1", agent: false, ...options });
    sent.end();
    const [response] = await once(sent, "response");
    return (await response.toArray()).join("");
  };
  try {
    expect(await ask({ ca: certificate })).toBe("well");
    expect(await ask({ ca: certificate, servername: "localhost" })).toBe("well");
    await expect(ask({})).rejects.toThrow(/self.signed/);
    await expect(ask({ ca: certificate, servername: "elsewhere.example" })).rejects.toThrow(/altnames/);
  } finally {
    server.close();
    await once(server, "close");
  }
});

test("a certificate serves for ten years and its own addresses", async () => {
  const clock = new FakeClock();
  const { certificate } = await make(clock);
  const parsed = new X509Certificate(certificate);
  expect(isServiceable(parsed, ["127.0.0.1"], clock)).toBe(true);
  expect(isServiceable(parsed, ["127.0.0.1", "192.0.2.1"], clock)).toBe(false);
  await clock.advance(3649 * 86_400_000);
  expect(isServiceable(parsed, ["127.0.0.1"], clock)).toBe(false);
});

test("a certificate names its addresses, also those of IPv6, and its names, and signs itself", () => {
  const addresses = ["127.0.0.1", "::1", "fe80::1:2", "2001:db8::", "::ffff:192.0.2.7"];
  const names = ["localhost", "a-rather-long-name.of.a.host.in.some.data.center.example.com"];
  const clock = new FakeClock();
  const { certificate } = selfSignedCertificate({ commonName: "größer", names, addresses, clock });
  const parsed = new X509Certificate(certificate);
  expect(addresses.map((address) => parsed.checkIP(address) !== undefined)).toEqual(addresses.map(() => true));
  expect(names.map((name) => parsed.checkHost(name))).toEqual(names);
  expect(parsed.checkIP("::2")).toBeUndefined();
  expect(parsed.subject).toBe("CN=größer");
  expect(parsed.checkIssued(parsed)).toBe(true);
  expect(parsed.verify(parsed.publicKey)).toBe(true);
  expect(parsed.ca).toBe(true);
  expect(parsed.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
});

test.each(["2026-11-30T08:00:00Z", "2039-12-31T23:59:59Z", "2049-07-01T00:00:00Z", "2051-01-01T00:00:00Z"])(
  "a certificate made at %s is valid from an hour before, for ten years",
  (made) => {
    const clock = new FakeClock(Date.parse(made));
    const { certificate } = selfSignedCertificate({ commonName: "stadion", names: [], addresses: [], clock });
    const { validFrom, validTo } = new X509Certificate(certificate);
    expect(Date.parse(validFrom)).toBe(clock.now() - 3_600_000);
    expect(Date.parse(validTo)).toBe(clock.now() + 3650 * 86_400_000);
  },
);
