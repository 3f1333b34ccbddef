import type { X509Certificate as Certificate } from "node:crypto";
import type { Clock } from "./clock.ts";

/** A key and the certificate for it, both in PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly certificate: string;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 3650;
/** Clocks of clients may be behind. */
const BACKDATE_MS = 3_600_000;
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * Makes a server certificate (RFC 5280) that signs itself, for a server whose clients are handed the certificate, as a kubeconfig does.
 * `addresses` are IP literals, `names` DNS names. Valid for ten years.
 */
export async function selfSignedCertificate(options: {
  readonly commonName: string;
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly clock: Clock;
}): Promise<KeyAndCertificate> {
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const now = options.clock.now();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${options.commonName}`,
    notBefore: new Date(now - BACKDATE_MS),
    notAfter: new Date(now + VALID_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...options.addresses.map((value) => ({ type: "ip" as const, value })),
        ...options.names.map((value) => ({ type: "dns" as const, value })),
      ]),
    ],
  });
  return { key: await privateKeyPem(keys.privateKey), certificate: `${certificate.toString("pem")}\n` };
}

/** PKCS #8 in PEM. */
export async function privateKeyPem(key: CryptoKey): Promise<string> {
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey("pkcs8", key)).toString("base64");
  return `-----BEGIN PRIVATE KEY-----\n${pkcs8.replace(/.{64}/g, "$&\n").trimEnd()}\n-----END PRIVATE KEY-----\n`;
}

/** True when a certificate is good for another month and names every address. */
export function isServiceable(certificate: Certificate, addresses: readonly string[], clock: Clock): boolean {
  const fresh = Date.parse(certificate.validTo) - clock.now() > 30 * DAY_MS;
  return fresh && addresses.every((address) => certificate.checkIP(address) !== undefined);
}
