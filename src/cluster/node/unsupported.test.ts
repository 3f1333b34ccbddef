import { expect, test } from "vitest";
import { container } from "./testing/worker-harness.ts";
import { unsupportedParts } from "./unsupported.ts";

test("names volumes and probes that a process cannot have, but not the one that only hides a token", () => {
  const asked = container("game", {
    volumeMounts: [
      { name: "empty", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount/" },
      { name: "maps", mountPath: "/maps" },
    ],
    livenessProbe: { httpGet: { port: 8080 } },
    readinessProbe: { exec: { command: ["true"] } },
  });
  expect(unsupportedParts(asked)).toEqual([
    'volume "maps" at /maps (a process has no file system of its own)',
    "readinessProbe (only httpGet and tcpSocket are tried; it counts as healthy)",
  ]);
});
