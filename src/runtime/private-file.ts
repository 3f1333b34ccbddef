import { rename, writeFile } from "node:fs/promises";

/** Writes a file that only its owner may read (mode 0600), whole or not at all. Rejects with the system's error. */
export async function writePrivateFile(file: string, content: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, content, { mode: 0o600 });
  await rename(draft, file);
}
