/** Both API servers, once for all test files. Their processes and files are gone afterwards. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import packageJson from "../../package.json" with { type: "json" };
import { ApiServer } from "./agreement/api-server.ts";
import { builtBinaries } from "./rig/build.ts";
import { startControlPlane } from "./rig/control-plane.ts";
import { startEmbedded } from "./rig/embedded.ts";
import { installExtensions } from "./rig/extensions.ts";

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const binaries = builtBinaries();
  if (!binaries) throw new Error("the control plane is not built: run npm run test:kubernetes");
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "stadion-kubernetes-")));
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const tearDown = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const kubernetes = await startControlPlane(binaries, folder);
    ends.push(() => kubernetes.stop());
    const server = new ApiServer("Kubernetes", kubernetes.kubeconfig);
    ends.push(() => server.close());
    const extensions = await installExtensions(server, folder);
    ends.push(() => extensions.program.stop());
    const embedded = await startEmbedded(folder, packageJson.version);
    ends.push(() => embedded.stop());
    project.provide("kubernetesKubeconfig", kubernetes.kubeconfig);
    project.provide("embeddedKubeconfig", embedded.kubeconfig);
  } catch (error) {
    await tearDown();
    throw error;
  }
  return tearDown;
}
