import { createPrivateKey, X509Certificate } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "#runtime/clock.ts";
import { writePrivateFile } from "#runtime/private-file.ts";
import { isServiceable, type KeyAndCertificate, selfSignedCertificate } from "#runtime/self-signed.ts";
import { secretFile } from "./secret-file.ts";

/** The API's certificate in a data folder; the kubeconfig hands it to clients. */
export const certificateFile = (dataDir: string): string => join(dataDir, "tls.crt");
const keyFile = (dataDir: string): string => join(dataDir, "tls.key");

/**
 * The certificate of the data folder's API, made anew when there is none that can be used, or it ends soon or lacks an address. Rejects
 * with `ConfigError` when one of its files cannot be read.
 */
export async function apiCertificate(
  dataDir: string,
  addresses: readonly string[],
  clock: Clock,
): Promise<KeyAndCertificate> {
  const stored = await load(dataDir);
  if (stored && isUsable(stored, addresses, clock)) return stored;
  const made = await selfSignedCertificate({ commonName: "stadion", names: ["localhost"], addresses, clock });
  await writePrivateFile(keyFile(dataDir), made.key);
  await writePrivateFile(certificateFile(dataDir), made.certificate);
  return made;
}

async function load(dataDir: string): Promise<KeyAndCertificate | undefined> {
  const [key, certificate] = await Promise.all([secretFile(keyFile(dataDir)), secretFile(certificateFile(dataDir))]);
  return key === undefined || certificate === undefined ? undefined : { key, certificate };
}

/** A crash may have left a key beside another's certificate. */
function isUsable({ key, certificate }: KeyAndCertificate, addresses: readonly string[], clock: Clock): boolean {
  try {
    const parsed = new X509Certificate(certificate);
    return parsed.checkPrivateKey(createPrivateKey(key)) && isServiceable(parsed, addresses, clock);
  } catch {
    return false;
  }
}
