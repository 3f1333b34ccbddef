import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writePrivateFile } from "#runtime/private-file.ts";

/** The secret of a data folder that requests at the API's port must carry, made when there is none: 256 random bits as base64url. */
export async function apiToken(dataDir: string): Promise<string> {
  const file = join(dataDir, "token");
  const stored = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (stored?.trim()) return stored.trim();
  const made = randomBytes(32).toString("base64url");
  await writePrivateFile(file, made);
  return made;
}
