import { statSync } from "node:fs";
import { join } from "node:path";
import type { Installation } from "#cli/start/installation.ts";
import { version } from "./version.ts";

/**
 * Finds the files of the installation this program belongs to: sources, each in its room, or bundles, side by side with what
 * they need in one folder of it.
 */
export function findInstallation(): Installation & { readonly simpleGameServer: string } {
  const here = import.meta.dirname;
  const bundled = import.meta.filename.endsWith(".mjs");
  const root = bundled ? join(here, "..") : join(here, "..", "..", "..");
  const example = bundled ? here : join(root, "examples", "simple-game-server");
  const nodeAgent = bundled ? join(here, "node-agent.mjs") : join(root, "src", "bin", "node-agent.ts");
  return {
    version,
    controlPlane: bundled ? join(here, "control-plane.mjs") : join(root, "src", "bin", "control-plane.ts"),
    nodeAgent,
    agentBuild: buildOf(nodeAgent),
    sdkServer: bundled ? join(here, "sdk-server.mjs") : join(root, "src", "bin", "sdk-server.ts"),
    simpleGameServer: join(example, bundled ? "simple-game-server.mjs" : "server.ts"),
    quickStart: join(example, bundled ? "fleet.json" : "fleet.yaml"),
    compileCache: join(root, "node_modules", ".cache", "stadion"),
  };
}

/** Tells builds of one version apart, by what the file system knows of a program's file. */
function buildOf(program: string): string {
  const { size, mtimeMs } = statSync(program);
  return `${size}-${mtimeMs}`;
}
