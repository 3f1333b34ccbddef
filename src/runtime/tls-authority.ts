import { KeyObject } from "node:crypto";
import type { Clock } from "./clock.ts";
import type { KeyAndCertificate } from "./self-signed.ts";

export interface Subject {
  readonly commonName: string;
  /** The groups of a client, to Kubernetes. */
  readonly organization?: string;
  /** DNS names. */
  readonly names?: readonly string[];
  /** IP literals. */
  readonly addresses?: readonly string[];
}

/** A certificate authority (RFC 5280) of one's own; its key stays in memory. */
export interface Authority {
  /** PEM, for those who are to trust it. */
  readonly certificate: string;
  /** A certificate for servers and clients, valid as long as the authority's. */
  issue(subject: Subject): Promise<KeyAndCertificate>;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 3650;
/** Clocks of those who check may be behind. */
const BACKDATE_MS = 3_600_000;
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Makes an authority that is valid for ten years. */
export async function createAuthority(options: {
  readonly commonName: string;
  readonly clock: Clock;
}): Promise<Authority> {
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const newKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const now = options.clock.now();
  const validity = {
    notBefore: new Date(now - BACKDATE_MS),
    notAfter: new Date(now + VALID_DAYS * DAY_MS),
    signingAlgorithm: ALGORITHM,
  };
  const keys = await newKeys();
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: [{ CN: [options.commonName] }],
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
    ],
  });
  return {
    certificate: `${root.toString("pem")}\n`,
    issue: async ({ commonName, organization, names = [], addresses = [] }) => {
      const own = await newKeys();
      const alternatives = [
        ...addresses.map((value) => ({ type: "ip" as const, value })),
        ...names.map((value) => ({ type: "dns" as const, value })),
      ];
      const certificate = await x509.X509CertificateGenerator.create({
        ...validity,
        subject: [...(organization ? [{ O: [organization] }] : []), { CN: [commonName] }],
        issuer: root.subjectName,
        signingKey: keys.privateKey,
        publicKey: own.publicKey,
        extensions: [
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
          ...(alternatives.length > 0 ? [new x509.SubjectAlternativeNameExtension(alternatives)] : []),
        ],
      });
      const key = KeyObject.from(own.privateKey).export({ type: "pkcs8", format: "pem" }).toString();
      return { key, certificate: `${certificate.toString("pem")}\n` };
    },
  };
}
