import { expect, test } from "vitest";
import { encodeFeatureGates, featureGates } from "#api/agones/feature-gates.ts";
import { readConfig } from "#runtime/config.ts";
import { createLogger } from "#runtime/logger.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { tellStart } from "./first-lines.ts";
import { CONTROLLER } from "./settings-kubernetes.ts";

test("a program begins with its log level, its version, all feature gates, and each setting by its flag", () => {
  const lines: string[] = [];
  const log = createLogger({ source: "controller", destination: { write: (line) => void lines.push(line) } });
  const argv = ["--min-port=7000", "--sidecar-cpu-request=30m", "--log-level=debug"];
  const config = readConfig(CONTROLLER.options, { argv, env: { NUM_WORKERS: "100" } });
  const gates = featureGates({ PlayerTracking: true });
  tellStart(log, "starting gameServer operator...", config, gates);

  const line = { time: expect.any(String), severity: "info", source: "controller" };
  const [level, start] = lines.map((text) => JSON.parse(text));
  expect(level).toEqual({ ...line, message: "Setting LogLevel configuration", logLevel: "debug" });
  const told = Object.keys(CONTROLLER.options).filter((flag) => !/cpu-limit|memory/.test(flag));
  expect(start).toMatchObject({
    ...line,
    message: "starting gameServer operator...",
    version: packageJson.version,
    featureGates: encodeFeatureGates(gates),
    ctlConf: { "min-port": 7000, "num-workers": 100, "sidecar-cpu-request": "30m" },
  });
  expect(start.featureGates).toContain("PlayerTracking=true");
  expect(Object.keys(start.ctlConf).toSorted()).toEqual(told.toSorted());
});
