import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** A command that cannot be started, told before the attempt so that the reason can be named. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code = "CommandUnusable";
}

/** The absolute path of a program, searched in `path` when it is a bare name. Rejects with `CommandError`. */
export async function findExecutable(program: string, cwd: string, path: string): Promise<string> {
  if (program.includes("/") || isAbsolute(program)) {
    const file = resolve(cwd, program);
    const fault = await faultOf(file);
    if (fault) throw new CommandError(`command "${program}" ${fault}${file === program ? "" : ` (looked at ${file})`}`);
    return file;
  }
  for (const folder of path.split(delimiter)) {
    const file = join(isAbsolute(folder) ? folder : resolve(cwd, folder), program);
    if ((await faultOf(file)) === undefined) return file;
  }
  throw new CommandError(`command "${program}" was not found in PATH (${path})`);
}

async function faultOf(file: string): Promise<string | undefined> {
  try {
    if (!(await stat(file)).isFile()) return "is not a file";
    await access(file, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EACCES" || code === "EPERM") return "is not executable";
    return code === "ENOENT" || code === "ENOTDIR" ? "does not exist" : `cannot be used (${code})`;
  }
}
