import { describe, expect, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import type { ChainEntry, FleetAutoscalerPolicy } from "#api/autoscaling/policy.ts";
import type { FleetAutoscaleReview } from "#api/autoscaling/review.ts";
import type { Evaluation } from "./decide-status.ts";
import { type Asking, evaluate } from "./evaluate.ts";
import { viewOf } from "./fleet-view.fixture.ts";

const over = { between: { end: "2000-01-01T00:00:00Z" } };
const buffer = { type: "Buffer", buffer: { bufferSize: 3, maxReplicas: 10 } } as const;
const inactive = { type: "Schedule", schedule: { ...over, policy: buffer } } as const;
const webhook = { type: "Webhook", webhook: { url: "http://oracle" } } as const;
const chain = (...entries: readonly ChainEntry[]): FleetAutoscalerPolicy => ({ type: "Chain", chain: [...entries] });

/** Evaluates with reviewers that answer as told, by the place of the entry. */
async function evaluated(policy: FleetAutoscalerPolicy, answers: Readonly<Record<number, Error | object>> = {}) {
  const asked: { readonly place: number; readonly decision: Asking; readonly review: FleetAutoscaleReview }[] = [];
  const evaluation = await evaluate(policy, {
    view: viewOf(
      "counter",
      [0, 1],
      [
        [0, 1, "Allocated"],
        [0, 1],
      ],
    ),
    gates: featureGates(),
    now: Date.UTC(2030, 0, 1),
    uid: () => "review-1",
    signal: new AbortController().signal,
    reviewers: {
      of: (place, decision) => ({
        review: async (review) => {
          asked.push({ place, decision, review });
          const answer = answers[place];
          if (answer instanceof Error) throw answer;
          return { uid: "", scale: false, replicas: 0, ...answer };
        },
        close: () => {},
      }),
    },
  });
  return { evaluation, asked };
}

const failed = (message: string, inChain: boolean, onlyInactive = false): Evaluation =>
  expect.objectContaining({ type: "failed", message, inChain, onlyInactive });

describe("a policy alone", () => {
  test("that knows a size is applied", async () => {
    expect((await evaluated(buffer)).evaluation).toEqual({ type: "sized", size: { replicas: 4 }, policy: "Buffer" });
  });

  test("that is inactive is no failure", async () => {
    expect((await evaluated(inactive)).evaluation).toEqual({ type: "inactive" });
  });

  test("that asks gives the answer's size, never limited, also zero", async () => {
    const { evaluation, asked } = await evaluated(webhook, { 0: { scale: true, replicas: 0 } });
    expect(evaluation).toEqual({ type: "sized", size: { replicas: 0 }, policy: "Webhook" });
    expect(asked).toMatchObject([
      { place: 0, review: { request: { uid: "review-1", name: "arena" }, response: null } },
    ]);
  });

  test("whose answer is not to scale keeps the servers that there are", async () => {
    const { evaluation } = await evaluated(webhook, { 0: { scale: false, replicas: 99 } });
    expect(evaluation).toMatchObject({ size: { replicas: 2 } });
  });

  test("that gets no answer has failed", async () => {
    expect((await evaluated(webhook, { 0: new Error("gone") })).evaluation).toEqual(failed("gone", false));
  });
});

describe("a chain", () => {
  test("applies the first entry that gives a size, and asks none after it", async () => {
    const { evaluation, asked } = await evaluated(
      chain({ id: "a", ...inactive }, { id: "b", ...buffer }, { id: "c", ...webhook }),
    );
    expect(evaluation).toEqual({ type: "sized", size: { replicas: 4 }, policy: "Buffer", chainId: "b" });
    expect(asked).toEqual([]);
  });

  test("goes on after an entry that fails, and tells its entries apart by their place", async () => {
    const { evaluation, asked } = await evaluated(chain({ id: "a", ...webhook }, { ...webhook }), {
      0: new Error("gone"),
      1: { scale: true, replicas: 7 },
    });
    expect(evaluation).toEqual({ type: "sized", size: { replicas: 7 }, policy: "Webhook", chainId: "" });
    expect(asked.map(({ place }) => place)).toEqual([0, 1]);
  });

  test("names an active schedule by its own type", async () => {
    const schedule = { type: "Schedule", schedule: { policy: buffer } } as const;
    expect((await evaluated(chain({ id: "night", ...schedule }))).evaluation).toMatchObject({
      policy: "Schedule",
      chainId: "night",
    });
  });

  test("that falls off its end has failed with the last failure, but does not count as broken when no schedule is active", async () => {
    const { evaluation } = await evaluated(chain({ id: "a", ...webhook }, { id: "b", ...inactive }), {
      0: new Error("gone"),
    });
    expect(evaluation).toEqual(failed("gone", true));
    const quiet = await evaluated(chain({ id: "a", ...inactive }, { id: "b", ...inactive }));
    expect(quiet.evaluation).toEqual(failed("inactive schedule, policy not applicable", true, true));
  });

  test("without entries has failed", async () => {
    expect((await evaluated(chain())).evaluation).toEqual(failed("the chain has no entries", true));
  });
});
