import { describe, expect, test } from "vitest";
import type { PodStatus } from "#api/core/pod.ts";
import { whyFailed } from "./why-failed.ts";

const why = (status?: PodStatus) =>
  whyFailed({ apiVersion: "v1", kind: "Pod", metadata: {}, spec: { containers: [] }, status });
const ended = (name: string, exitCode: number, message?: string) => ({
  name,
  ready: false,
  restartCount: 0,
  image: "",
  imageID: "",
  state: { terminated: { exitCode, message } },
});

describe("why a Pod failed", () => {
  test.each<[string, PodStatus | undefined, string | undefined]>([
    ["a Pod that runs has not", { phase: "Running", message: "m" }, undefined],
    ["nor one without a status", undefined, undefined],
    [
      "its node has the first word",
      { phase: "Failed", message: "evicted", containerStatuses: [ended("a", 1)] },
      "evicted",
    ],
    [
      "else the first container that failed",
      { phase: "Failed", containerStatuses: [ended("a", 0), ended("b", 7, "no config file"), ended("c", 8)] },
      "container b ended with exit code 7: no config file",
    ],
    [
      "an init container before the others",
      { phase: "Failed", initContainerStatuses: [ended("i", 3)], containerStatuses: [ended("a", 1)] },
      "container i ended with exit code 3",
    ],
    ["or nothing is known", { phase: "Failed", containerStatuses: [ended("a", 0)] }, undefined],
  ])("%s", (_, status, wanted) => {
    expect(why(status)).toBe(wanted);
  });
});
