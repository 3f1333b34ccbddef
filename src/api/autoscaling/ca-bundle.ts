/** The certificates of a `caBundle`. */
import { X509Certificate } from "node:crypto";

/** The certificates in a bundle (PEM, in base64), each in PEM; blocks of anything else, and damaged ones, are passed over. */
export function certificatesOf(base64: string): readonly string[] {
  const text = Buffer.from(base64, "base64").toString("latin1");
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.filter(isCertificate);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
