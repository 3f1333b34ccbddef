import { generateKeyPairSync, randomBytes, sign, type X509Certificate } from "node:crypto";
import type { Clock } from "./clock.ts";
import { bits, der, objectId, octets, sequence, set, time, unsigned, utf8, yes } from "./der.ts";

/** A key and the certificate for it, both in PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly certificate: string;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 3650;
/** Clocks of clients may be behind. */
const BACKDATE_MS = 3_600_000;

/** Object identifiers of RFC 5280 and RFC 5758. */
const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const COMMON_NAME = "2.5.4.3";
const BASIC_CONSTRAINTS = "2.5.29.19";
const SUBJECT_ALT_NAME = "2.5.29.17";
const EXTENDED_KEY_USAGE = "2.5.29.37";
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";

/** Tags that only certificates know, by their place in the structure. */
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

/**
 * Makes a server certificate (RFC 5280) that signs itself, for a server whose clients are handed the certificate, as a kubeconfig does.
 * `addresses` are IP literals, `names` DNS names. Valid for ten years. Written by hand: a new cluster makes one while a person waits,
 * and the package that makes the others takes a fifth of that time to load.
 */
export function selfSignedCertificate(options: {
  readonly commonName: string;
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly clock: Clock;
}): KeyAndCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const now = options.clock.now();
  const name = sequence(set(sequence(objectId(COMMON_NAME), utf8(options.commonName))));
  const algorithm = sequence(objectId(ECDSA_WITH_SHA256));
  const content = sequence(
    der(VERSION, unsigned(Buffer.of(2))),
    unsigned(randomBytes(16)),
    algorithm,
    name,
    sequence(time(now - BACKDATE_MS), time(now + VALID_DAYS * DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      EXTENSIONS,
      sequence(
        // An authority for itself alone: none that it signed may sign others.
        extension(BASIC_CONSTRAINTS, [yes], sequence(yes, unsigned(Buffer.of(0)))),
        extension(EXTENDED_KEY_USAGE, [], sequence(objectId(SERVER_AUTH))),
        extension(
          SUBJECT_ALT_NAME,
          [],
          sequence(
            ...options.addresses.map((address) => der(IP_ADDRESS, addressBytes(address))),
            ...options.names.map((each) => der(DNS_NAME, Buffer.from(each))),
          ),
        ),
      ),
    ),
  );
  const certificate = sequence(content, algorithm, bits(sign("sha256", content, privateKey)));
  const lines = certificate.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

const extension = (id: string, critical: readonly Buffer[], value: Buffer): Buffer =>
  sequence(objectId(id), ...critical, octets(value));

/** The 4 or 16 bytes of an IP literal. */
function addressBytes(address: string): Buffer {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number));
  // The URL parser writes every form of an address in one.
  const [head = "", tail = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string): readonly string[] => (text === "" ? [] : text.split(":"));
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill("0");
  return Buffer.from(
    [...groups(head), ...zeros, ...groups(tail)].map((group) => group.padStart(4, "0")).join(""),
    "hex",
  );
}

/** True when a certificate is good for another month and names every address. */
export function isServiceable(certificate: X509Certificate, addresses: readonly string[], clock: Clock): boolean {
  const fresh = Date.parse(certificate.validTo) - clock.now() > 30 * DAY_MS;
  return fresh && addresses.every((address) => certificate.checkIP(address) !== undefined);
}
