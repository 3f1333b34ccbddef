/** Two Pods of the extensions behind their Service, of which each goes once and comes back while servers are made and deleted. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "#tests/harness/eventually.ts";
import { ApiServer } from "./agreement/api-server.ts";
import { serverNamed } from "./controllers/objects.ts";
import { builtBinaries } from "./rig/build.ts";
import { startControlPlane } from "./rig/control-plane.ts";
import { installExtensions, register, startExtensions } from "./rig/extensions.ts";
import { kubeconfigFor } from "./rig/permissions.ts";
import { RigService } from "./rig/service.ts";

const SERVERS = "/apis/agones.dev/v1/namespaces/default/gameservers";
const ALLOCATIONS = "/apis/allocation.agones.dev/v1/namespaces/default/gameserverallocations";
const LANES = 4;

test("of two Pods either may be deleted: no creation, deletion or allocation fails meanwhile", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "stadion-extensions-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const binaries = builtBinaries();
  if (!binaries) throw new Error("the control plane is not built: run npm run test:kubernetes");
  const kubernetes = await startControlPlane(binaries, folder);
  onTestFinished(() => kubernetes.stop());
  const server = new ApiServer("Kubernetes", kubernetes.kubeconfig);
  onTestFinished(() => server.close());
  const installed = await installExtensions(server, folder);
  onTestFinished(() => installed.program.stop());

  const service = await RigService.open();
  onTestFinished(() => service[Symbol.asyncDispose]());
  const kubeconfig = `--kubeconfig=${await kubeconfigFor("extensions", server, folder)}`;
  const startPod = async (name: string) => {
    const pod = await startExtensions(name, folder, [kubeconfig, "--readiness-shutdown-duration=2s"]);
    onTestFinished(() => pod.program.stop());
    service.add(pod);
    return pod;
  };
  const pods = [await startPod("one"), await startPod("two")];
  await register(server, { authority: installed.authority, port: service.port });
  // From here on nobody may need it.
  await installed.program.stop();

  let done = 0;
  let over = false;
  const failures: string[] = [];
  const ask = async (method: string, path: string, body: unknown, expected: number): Promise<void> => {
    const { status, body: answer } = await server.call(method, path, JSON.parse(JSON.stringify(body ?? null)));
    if (status !== expected) failures.push(`${method} ${path}: ${status}: ${JSON.stringify(answer)}`);
  };
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    while (!over) {
      const name = `duel-${lane}-${done++}`;
      await ask("POST", SERVERS, serverNamed(name), 201);
      await ask("POST", ALLOCATIONS, {}, 201);
      await ask("DELETE", `${SERVERS}/${name}`, {}, 200);
    }
  });
  const goesOn = (rounds: number): Promise<void> => {
    const from = done;
    return eventually(() => expect(done).toBeGreaterThanOrEqual(from + rounds), { within: 60_000 });
  };
  await goesOn(20);
  for (const { program } of pods) {
    await program.stop();
    expect(program.exitCode).toBe(0);
    await goesOn(20);
    await startPod(`${program.name}-again`);
    await goesOn(20);
  }
  over = true;
  await Promise.all(lanes);
  expect(failures).toEqual([]);
}, 180_000);
