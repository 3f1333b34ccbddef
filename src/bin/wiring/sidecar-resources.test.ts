import { expect, test } from "vitest";
import { parseQuantity } from "#api/meta/quantity.ts";
import { sidecarResources } from "./sidecar-resources.ts";

const resources = (
  texts: readonly [cpuRequest: string, cpuLimit: string, memoryRequest: string, memoryLimit: string],
) => {
  const [sidecarCpuRequest, sidecarCpuLimit, sidecarMemoryRequest, sidecarMemoryLimit] = texts.map((text) =>
    text === "" ? undefined : parseQuantity(text),
  );
  return sidecarResources({ sidecarCpuRequest, sidecarCpuLimit, sidecarMemoryRequest, sidecarMemoryLimit });
};

test("what is given is asked for, and a limit of zero is none", () => {
  expect(resources(["30m", "", "", "64Mi"])).toEqual({ requests: { cpu: "30m" }, limits: { memory: "64Mi" } });
  expect(resources(["2", "0", "", ""]).requests).toEqual({ cpu: "2" });
});

test("every wrong quantity is told with its flag and value", () => {
  expect(() => resources(["2", "1", "-1Mi", ""])).toThrow(
    "--sidecar-cpu-request must not be above --sidecar-cpu-limit, found 2 and 1\n--sidecar-memory-request must not be negative, found -1Mi",
  );
});
