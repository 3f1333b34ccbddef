import { onPath } from "./on-path.ts";

/** The kubectl of this machine; undefined when it has none, and then tests that need it are skipped. */
const found = onPath("kubectl");

export const hasKubectl: boolean = found !== undefined;

export function kubectl(): string {
  if (found === undefined) throw new Error("kubectl is not installed");
  return found;
}
