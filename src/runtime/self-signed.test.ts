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
