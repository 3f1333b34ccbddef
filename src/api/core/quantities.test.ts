import { expect, test } from "vitest";
import { canonicalQuantities, quantityFaults } from "./quantities.ts";

const written = { limits: { cpu: 1, memory: "1024Mi" }, requests: { cpu: 0.5, "example.com/gpu": "2" } };
const canonical = { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m", "example.com/gpu": "2" } };

test("every quantity of a pod template gets its canonical text, whatever it was written as", () => {
  const template = (resources: object, size: unknown, divisor: unknown) => ({
    metadata: { labels: { divisor: "1000m" } },
    spec: {
      nodeSelector: { sizeLimit: "1000m" },
      containers: [{ name: "a", resources, env: [{ name: "E", valueFrom: { resourceFieldRef: { divisor } } }] }],
      initContainers: [{ name: "b", resources }],
      ephemeralContainers: [{ name: "c", resources }],
      overhead: (resources as typeof written).limits,
      resources,
      volumes: [{ name: "v", emptyDir: { sizeLimit: size } }],
    },
  });
  expect(canonicalQuantities(template(written, "1000m", 1) as never)).toEqual(template(canonical, "1", "1"));
});

test("a template without any, or with canonical ones, is given back itself", () => {
  const template = {
    spec: {
      containers: [
        { name: "a", resources: canonical },
        { name: "b", resources: null },
      ],
    },
  };
  expect(canonicalQuantities(template)).toBe(template);
});

test("values of another type are left for the schema to refuse", () => {
  const template = { spec: { containers: [{ resources: { limits: { cpu: { a: 1 } }, requests: "none" } }, 7] } };
  expect(canonicalQuantities(template)).toBe(template);
});

test("space around a text does not count", () => {
  const template = (memory: string) => ({ spec: { containers: [{ name: "a", resources: { limits: { memory } } }] } });
  expect(canonicalQuantities(template(" 64Mi\n"))).toEqual(template("64Mi"));
});

test("what is no quantity is left alone, and told with its path", () => {
  const container = (cpu: string, memory: string) => ({ resources: { limits: { cpu, memory } } });
  const template = (memory: string) => ({
    spec: {
      containers: [container("1", "1Gi"), container("lots", memory)],
      overhead: { cpu: "" },
      volumes: [{ emptyDir: { sizeLimit: "64 Mi" } }],
    },
  });
  expect(canonicalQuantities(template("1024Mi"))).toEqual(template("1Gi"));
  expect(quantityFaults(template("1024Mi"), "spec.template").map(({ field, body }) => [field, body])).toEqual([
    ["spec.template.spec.containers[1].resources.limits[cpu]", expect.stringMatching(/^Invalid value: "lots": quant/)],
    ["spec.template.spec.overhead[cpu]", expect.stringMatching(/^Invalid value: "": quantities must match/)],
    ["spec.template.spec.volumes[0].emptyDir.sizeLimit", expect.stringMatching(/^Invalid value: "64 Mi": quantities/)],
  ]);
});
