import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ConfigError } from "#runtime/config.ts";
import { writePrivateFile } from "#runtime/private-file.ts";
import { secretFile } from "./secret-file.ts";

/** RFC 6750, section 2.1. */
const BEARER = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * The secret of a data folder that requests at the API's port must carry, made when there is none: 256 random bits as base64url. Rejects
 * with `ConfigError` when it cannot be read, or no request could carry it.
 */
export async function apiToken(dataDir: string): Promise<string> {
  const file = join(dataDir, "token");
  const stored = (await secretFile(file))?.trim();
  if (stored && !BEARER.test(stored))
    throw new ConfigError([
      `${file} holds no token: it may have letters, digits and -._~+/ alone. Take it away, and the next start makes one`,
    ]);
  if (stored) return stored;
  const made = randomBytes(32).toString("base64url");
  await writePrivateFile(file, made);
  return made;
}
