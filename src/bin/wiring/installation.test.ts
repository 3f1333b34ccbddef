import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findInstallation } from "./installation.ts";

test("every file of the installation is there, and its version is the package's", () => {
  const { version, controlPlane, nodeAgent, sdkServer, simpleGameServer, quickStart } = findInstallation();
  expect(readFileSync(controlPlane, "utf8")).toContain("control plane");
  expect(readFileSync(nodeAgent, "utf8")).toContain("node agent");
  expect(readFileSync(sdkServer, "utf8")).toContain("SDK server");
  expect(readFileSync(simpleGameServer, "utf8")).toContain("game server");
  expect(readFileSync(quickStart, "utf8")).toMatch(/kind: Fleet\nmetadata:\n {2}name: simple-game-server\n/);
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
});
