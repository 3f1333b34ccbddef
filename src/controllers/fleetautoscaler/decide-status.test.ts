import { describe, expect, test } from "vitest";
import type { FleetAutoscaler, FleetAutoscalerStatus } from "#api/autoscaling/fleetautoscaler.ts";
import { buildFleet } from "../fixtures.ts";
import { decideObstacle } from "./decide-obstacle.ts";
import { decideStatus, type Finding } from "./decide-status.ts";

const NOW = Date.UTC(2030, 0, 1);
const fas = (
  name: string,
  status?: FleetAutoscalerStatus,
  metadata: FleetAutoscaler["metadata"] = {},
): FleetAutoscaler => ({
  apiVersion: "autoscaling.agones.dev/v1",
  kind: "FleetAutoscaler",
  metadata: { name, namespace: "default", uid: `uid-${name}`, generation: 2, ...metadata },
  spec: { fleetName: "arena", policy: { type: "Buffer" } },
  ...(status && { status }),
});

/** The findings one after the other, a minute apart: the last status, and what each of them told. */
function following(...findings: readonly Finding[]) {
  let status: FleetAutoscalerStatus | undefined;
  const told = findings.map((finding, at) => {
    const decision = decideStatus(fas("auto", status), finding, NOW + at * 60_000);
    status = decision.status;
    return decision.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`);
  });
  const shown = (status?.conditions ?? []).map((each) => `${each.type} ${each.status} ${each.reason}`);
  return { status, told, shown };
}

const sized = (replicas: number, more: object = {}): Finding =>
  ({ type: "sized", size: { replicas }, policy: "Buffer", currentReplicas: 1, ...more }) as Finding;
const failed = (message: string, inChain = false): Finding => ({
  type: "failed",
  message,
  inChain,
  onlyInactive: false,
  cause: undefined,
  currentReplicas: 1,
});
const UNABLE = {
  ableToScale: false,
  scalingLimited: false,
  currentReplicas: 0,
  desiredReplicas: 0,
  lastAppliedPolicy: "",
};
const ERROR = "Warning FleetAutoscaler Error calculating desired fleet size on FleetAutoscaler auto. Error: ";

describe("a finding", () => {
  test("of a size is told in numbers and conditions, without an event", () => {
    const { status, told, shown } = following(sized(4, { scaledAt: NOW }));
    expect(status).toMatchObject({
      currentReplicas: 1,
      desiredReplicas: 4,
      ableToScale: true,
      scalingLimited: false,
      lastAppliedPolicy: "Buffer",
      lastScaleTime: "2030-01-01T00:00:00Z",
    });
    expect(shown).toEqual([
      "AbleToScale True FleetFound",
      "ScalingActive True PolicyApplied",
      "ScalingLimited False WithinLimits",
    ]);
    expect(told).toEqual([[]]);
  });

  test("that changes nothing leaves the very status", () => {
    const { status } = following(sized(4));
    const autoscaler = fas("auto", status);
    expect(decideStatus(autoscaler, sized(4), NOW + 999_000)).toEqual({ status, events: [] });
    expect(decideStatus(autoscaler, sized(4), NOW + 999_000).status).toBe(autoscaler.status);
  });

  test("of a limit is an event once, and again for another size", () => {
    const atMost = (replicas: number) => sized(replicas, { size: { replicas, limit: "maximum" } });
    const { told, status } = following(
      atMost(5),
      atMost(5),
      atMost(6),
      sized(4),
      sized(2, { size: { replicas: 2, limit: "minimum" } }),
    );
    expect(told).toEqual([
      ["Warning ScalingLimited Scaling fleet arena was limited to maximum size of 5"],
      [],
      ["Warning ScalingLimited Scaling fleet arena was limited to maximum size of 6"],
      [],
      ["Warning ScalingLimited Scaling fleet arena was limited to minimum size of 2"],
    ]);
    expect(status).toMatchObject({ scalingLimited: true });
  });

  test("of a failure is an event once, and again for another cause", () => {
    const { told, status, shown } = following(
      sized(4, { scaledAt: NOW }),
      failed("gone"),
      failed("gone"),
      failed("late"),
    );
    expect(told).toEqual([[], [`${ERROR}gone`], [], [`${ERROR}late`]]);
    expect(status).toMatchObject({ ...UNABLE, lastScaleTime: "2030-01-01T00:00:00Z" });
    expect(shown).toEqual(["AbleToScale False PolicyFailed", "ScalingActive False PolicyFailed"]);
  });

  test("of a chain's entry is an event when it is another than before", () => {
    const link = (chainId: string) => sized(4, { chainId });
    const { told, status } = following(link("a"), link("a"), link(""), failed("gone", true), link(""));
    const applied = (id: string) =>
      `Normal ChainPolicy FleetAutoscaler 'auto' successfully applied ChainPolicy | ID: ${id} | Type: Buffer`;
    const fellOff = "Warning ChainPolicy FleetAutoscaler 'auto' failed to apply ChainPolicy | ID: Unknown | Type: ";
    expect(told).toEqual([[applied("a")], [], [applied("")], [fellOff, `${ERROR}gone`], [applied("")]]);
    expect(status?.lastAppliedPolicy).toBe("Chain::Buffer");
  });

  test("that the schedule's time is not now changes nothing but conditions", () => {
    const { status, told, shown } = following(sized(4), { type: "inactive", currentReplicas: 9 });
    expect(status).toMatchObject({
      currentReplicas: 1,
      desiredReplicas: 4,
      ableToScale: true,
      lastAppliedPolicy: "Buffer",
    });
    expect(shown).toEqual(["AbleToScale True FleetFound", "ScalingActive False ScheduleInactive"]);
    expect(told).toEqual([[], []]);
  });

  test("that there is no fleet is told once", () => {
    const { status, told, shown } = following({ type: "fleetNotFound" }, { type: "fleetNotFound" });
    expect(told).toEqual([["Warning FailedGetFleet could not fetch fleet: arena"], []]);
    expect(status).toMatchObject(UNABLE);
    expect(shown).toEqual(["AbleToScale False FleetNotFound"]);
  });

  test("that the fleet goes is told without an event, and the rest stays", () => {
    const { status, told } = following(sized(4), { type: "fleetBeingDeleted" });
    expect(status).toMatchObject({ desiredReplicas: 4 });
    expect(told).toEqual([[], []]);
  });

  test("that an older autoscaler has the fleet is told once", () => {
    const { told, shown, status } = following({ type: "fleetTaken", by: "elder" }, { type: "fleetTaken", by: "elder" });
    const message = "Warning FleetTaken FleetAutoscaler elder, which is older, sets the size of fleet arena";
    expect(told).toEqual([[message], []]);
    expect(shown).toEqual(["AbleToScale False FleetTaken"]);
    expect(status).toMatchObject(UNABLE);
  });

  test("that the API refuses the size is told once", () => {
    const refused: Finding = { type: "notWritable", from: 1, to: 4, message: "no" };
    const { told, shown } = following(refused, refused);
    expect(told).toEqual([["Warning AutoScalingFleetError Error on scaling fleet arena from 1 to 4. Error: no"], []]);
    expect(shown).toEqual(["AbleToScale False FleetNotWritable"]);
  });

  test("makes ableToScale what the condition is, whatever was before", () => {
    const findings: readonly Finding[] = [
      sized(4),
      { type: "fleetBeingDeleted" },
      { type: "inactive", currentReplicas: 1 },
      { type: "notWritable", from: 1, to: 4, message: "no" },
      sized(4),
      failed("gone"),
    ];
    const able = findings.map((_, at) => {
      const { status } = following(...findings.slice(0, at + 1));
      return [status?.ableToScale, status?.conditions?.find(({ type }) => type === "AbleToScale")?.status];
    });
    const [yes, no] = [
      [true, "True"],
      [false, "False"],
    ];
    expect(able).toEqual([yes, no, yes, no, yes, no]);
  });

  test("speaks of the generation it was made from, and of when its status changed", () => {
    const { status } = following(sized(4), sized(5), { type: "inactive", currentReplicas: 1 });
    const [able, active] = status?.conditions ?? [];
    expect([able?.observedGeneration, able?.lastTransitionTime]).toEqual([2, "2030-01-01T00:00:00Z"]);
    expect(active?.lastTransitionTime).toBe("2030-01-01T00:02:00Z");
  });
});

describe("of the autoscalers of one fleet", () => {
  const at = (name: string, creationTimestamp: string, more: object = {}) =>
    fas(name, undefined, { creationTimestamp, ...more });
  const [first, second] = [at("b", "2030-01-01T00:00:00Z"), at("a", "2030-01-02T00:00:00Z")];

  test("the oldest acts, in whatever order they come", () => {
    expect(decideObstacle(first, buildFleet(1), [second, first])).toBeUndefined();
    expect(decideObstacle(second, buildFleet(1), [second, first])).toEqual({ type: "fleetTaken", by: "b" });
  });

  test("one that goes stands in nobody's way", () => {
    const going = at("b", "2030-01-01T00:00:00Z", { deletionTimestamp: "2030-01-03T00:00:00Z" });
    expect(decideObstacle(second, buildFleet(1), [going, second])).toBeUndefined();
  });

  test("of the same age the first by name acts", () => {
    const twin = at("c", "2030-01-01T00:00:00Z");
    expect(decideObstacle(twin, buildFleet(1), [twin, first])).toEqual({ type: "fleetTaken", by: "b" });
  });

  test("none acts without a fleet, or on one that goes", () => {
    expect(decideObstacle(first, undefined, [first])).toEqual({ type: "fleetNotFound" });
    const going = buildFleet(1, { metadata: { deletionTimestamp: "2030-01-03T00:00:00Z" } });
    expect(decideObstacle(first, going, [first])).toEqual({ type: "fleetBeingDeleted" });
  });
});
