import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { writePrivateFile } from "#runtime/private-file.ts";
import { secretFile } from "./secret-file.ts";

/**
 * The secret of a data folder that requests at the API's port must carry, made when there is none: 256 random bits as base64url. Rejects
 * with `ConfigError` when it cannot be read.
 */
export async function apiToken(dataDir: string): Promise<string> {
  const file = join(dataDir, "token");
  const stored = (await secretFile(file))?.trim();
  if (stored) return stored;
  const made = randomBytes(32).toString("base64url");
  await writePrivateFile(file, made);
  return made;
}
