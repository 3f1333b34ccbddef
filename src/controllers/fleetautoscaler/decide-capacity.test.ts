import { describe, expect, test } from "vitest";
import type { CapacityPolicy } from "#api/autoscaling/policy.ts";
import { type CapacityKind, decideCapacity } from "./decide-capacity.ts";
import { PolicyError } from "./decide-size.ts";
import { type Filled, viewOf } from "./fleet-view.fixture.ts";

interface Row {
  readonly name: string;
  /** Of a new server. */
  readonly fresh: readonly [count: number, capacity: number];
  readonly servers: readonly Filled[];
  readonly buffer: number | string;
  readonly limits: readonly [min: number, max: number];
  readonly replicas: number;
  readonly limit?: "minimum" | "maximum";
}

const times = (count: number, filled: Filled): readonly Filled[] => Array.from({ length: count }, () => filled);
const policyOf = ({ buffer, limits: [min, max] }: Pick<Row, "buffer" | "limits">): CapacityPolicy => ({
  key: "key",
  bufferSize: buffer,
  minCapacity: BigInt(min),
  maxCapacity: BigInt(max),
});

const rows: readonly Row[] = [
  // The free room is what is wanted.
  {
    name: "equal, within limits: stays",
    fresh: [0, 10],
    servers: times(3, [5, 10]),
    buffer: 15,
    limits: [0, 100],
    replicas: 3,
  },
  {
    name: "equal, below: up to the minimum",
    fresh: [0, 10],
    servers: times(3, [5, 10]),
    buffer: 15,
    limits: [45, 100],
    replicas: 5,
    limit: "minimum",
  },
  {
    name: "equal, above: down to the maximum",
    fresh: [0, 10],
    servers: times(3, [5, 10]),
    buffer: 15,
    limits: [0, 20],
    replicas: 2,
    limit: "maximum",
  },
  // Less room than wanted.
  {
    name: "less, within limits: grows",
    fresh: [7, 10],
    servers: times(3, [7, 10]),
    buffer: 25,
    limits: [25, 100],
    replicas: 9,
  },
  {
    name: "less, below: up to the minimum",
    fresh: [0, 5],
    servers: times(3, [0, 5]),
    buffer: 16,
    limits: [30, 99],
    replicas: 6,
    limit: "minimum",
  },
  {
    name: "less, above: down to the maximum",
    fresh: [0, 10],
    servers: times(3, [10, 10]),
    buffer: 5,
    limits: [0, 25],
    replicas: 2,
    limit: "maximum",
  },
  {
    name: "less, and the maximum is in the way: up to it",
    fresh: [0, 10],
    servers: times(3, [10, 10]),
    buffer: 50,
    limits: [0, 55],
    replicas: 5,
    limit: "maximum",
  },
  {
    name: "less, and the maximum is reached: stays",
    fresh: [0, 10],
    servers: times(3, [10, 10]),
    buffer: 50,
    limits: [0, 30],
    replicas: 3,
    limit: "maximum",
  },
  // More room than wanted.
  {
    name: "more, within limits: shrinks",
    fresh: [7, 10],
    servers: times(3, [7, 10]),
    buffer: 5,
    limits: [10, 100],
    replicas: 2,
  },
  {
    name: "more, below: up to the minimum",
    fresh: [0, 5],
    servers: times(3, [0, 5]),
    buffer: 1,
    limits: [30, 99],
    replicas: 6,
    limit: "minimum",
  },
  {
    name: "more, above: shrinks, and the maximum is not asked",
    fresh: [0, 5],
    servers: times(3, [0, 5]),
    buffer: 5,
    limits: [0, 5],
    replicas: 1,
  },
  {
    name: "more, at the minimum: stays",
    fresh: [0, 10],
    servers: times(3, [0, 10]),
    buffer: 5,
    limits: [30, 99],
    replicas: 3,
    limit: "minimum",
  },
  {
    name: "more, and the minimum is reached on the way",
    fresh: [0, 10],
    servers: times(3, [0, 10]),
    buffer: 5,
    limits: [20, 99],
    replicas: 2,
    limit: "minimum",
  },
  {
    name: "more, and the minimum is passed on the way",
    fresh: [0, 10],
    servers: times(3, [0, 10]),
    buffer: 5,
    limits: [15, 99],
    replicas: 2,
    limit: "minimum",
  },
  {
    name: "more, and the buffer is met on the way",
    fresh: [0, 10],
    servers: times(5, [0, 10]),
    buffer: 20,
    limits: [0, 99],
    replicas: 2,
  },
  {
    name: "more, servers without the key go and change nothing",
    fresh: [0, 10],
    servers: ["none", "none", [0, 10], [0, 10]],
    buffer: 10,
    limits: [0, 99],
    replicas: 1,
  },
  {
    name: "more, and one server stays whatever is wanted",
    fresh: [0, 10],
    servers: [[0, 10]],
    buffer: -5,
    limits: [0, 99],
    replicas: 1,
    limit: "minimum",
  },
  // Fleets without servers.
  {
    name: "none: up to the minimum",
    fresh: [0, 5],
    servers: [],
    buffer: 3,
    limits: [16, 99],
    replicas: 4,
    limit: "minimum",
  },
  {
    name: "none, no minimum: grows to the buffer",
    fresh: [0, 5],
    servers: [],
    buffer: 12,
    limits: [0, 99],
    replicas: 3,
  },
  {
    name: "none, a minimum of one server",
    fresh: [0, 50],
    servers: [],
    buffer: 10,
    limits: [50, 500],
    replicas: 1,
    limit: "minimum",
  },
  // Percentages: of the capacity that is there when the Allocated servers' count is in use.
  {
    name: "percentage, nothing Allocated: one server",
    fresh: [0, 10],
    servers: times(4, [0, 10]),
    buffer: "50%",
    limits: [5, 99],
    replicas: 1,
    limit: "minimum",
  },
  {
    name: "percentage, nothing Allocated, one server too small",
    fresh: [0, 10],
    servers: times(2, [0, 10]),
    buffer: "50%",
    limits: [50, 99],
    replicas: 5,
    limit: "minimum",
  },
  {
    name: "percentage of three Allocated lists",
    fresh: [2, 6],
    servers: times(3, [4, 6, "Allocated"]),
    buffer: "50%",
    limits: [1, 999],
    replicas: 5,
  },
  // Allocated and Reserved servers are not taken away by any decision.
  {
    name: "more, all in use: stays",
    fresh: [0, 10],
    servers: times(3, [1, 10, "Allocated"]),
    buffer: 5,
    limits: [0, 99],
    replicas: 3,
  },
  {
    name: "more, the idle ones go",
    fresh: [0, 10],
    servers: [
      [1, 10, "Allocated"],
      [0, 10, "Reserved"],
      [0, 10],
      [0, 10],
    ],
    buffer: 5,
    limits: [0, 99],
    replicas: 2,
  },
  {
    name: "above, all in use: stays",
    fresh: [0, 10],
    servers: times(3, [10, 10, "Allocated"]),
    buffer: 5,
    limits: [0, 10],
    replicas: 3,
    limit: "maximum",
  },
  {
    name: "one nearly full match and two idle servers keep a buffer of two",
    fresh: [0, 60],
    servers: [
      [55, 60, "Allocated"],
      [0, 60],
      [0, 60],
    ],
    buffer: 120,
    limits: [120, 300],
    replicas: 3,
  },
  // No number of servers fits.
  {
    name: "the maximum holds where no number fits between the limits",
    fresh: [0, 5],
    servers: times(2, [0, 5]),
    buffer: 1,
    limits: [11, 14],
    replicas: 2,
    limit: "maximum",
  },
  {
    name: "one server stays where even that is too much",
    fresh: [0, 50],
    servers: [],
    buffer: 5,
    limits: [10, 20],
    replicas: 1,
    limit: "maximum",
  },
];

describe.each<CapacityKind>(["counter", "list"])("the room in a %s", (kind) => {
  test.each(rows.map((row) => [row.name, row] as const))("%s", (_name, row) => {
    const size = decideCapacity(kind, policyOf(row), viewOf(kind, row.fresh, row.servers));
    expect(size).toEqual({ replicas: row.replicas, ...(row.limit && { limit: row.limit }) });
  });

  const open = { buffer: 5, limits: [0, 99] } as const;
  test.each([
    [
      "that its template does not have",
      viewOf(kind, [0, 5], []),
      { ...policyOf(open), key: "other" },
      /template has no/,
    ],
    [
      "that brings no room",
      viewOf(kind, [5, 5], times(1, [5, 5])),
      policyOf(open),
      /does not increase available Capacity/,
    ],
    [
      "without capacity, below the minimum",
      viewOf(kind, [0, 0], []),
      policyOf({ ...open, limits: [5, 9] }),
      /no capacity/,
    ],
    [
      "of a percentage that is none",
      viewOf(kind, [0, 5], []),
      policyOf({ ...open, buffer: "0%" }),
      /between 1% and 99%/,
    ],
    [
      "that no fleet could hold",
      viewOf(kind, [0, 1], []),
      policyOf({ buffer: 5, limits: [2 ** 40, 2 ** 50] }),
      /more than a fleet can have/,
    ],
  ])("%s is an error", (_name, view, policy, message) => {
    const decide = () => decideCapacity(kind, policy, view);
    expect(decide).toThrow(PolicyError);
    expect(decide).toThrow(message);
  });

  test("that the status of a fleet with servers does not have is an error, without servers it is none", () => {
    const view = viewOf(kind, [0, 5], times(2, [0, 5]));
    const lacking = (replicas: number) => ({ ...view, fleet: { ...view.fleet, status: { replicas } } });
    const policy = policyOf({ buffer: 3, limits: [16, 99] });
    expect(() => decideCapacity(kind, policy, lacking(2))).toThrow("the fleet's status has no");
    expect(decideCapacity(kind, policy, lacking(0))).toEqual({ replicas: 4, limit: "minimum" });
  });
});

test("counters beyond the exact range of numbers are exact", () => {
  const view = viewOf("counter", [0, 1], []);
  const huge = 2n ** 62n;
  const fleet = { ...view.fleet, status: { replicas: 2, counters: { key: { count: huge - 1n, capacity: huge } } } };
  const policy: CapacityPolicy = { key: "key", bufferSize: 3, minCapacity: 0n, maxCapacity: 2n ** 63n - 1n };
  expect(decideCapacity("counter", policy, { ...view, fleet })).toEqual({ replicas: 4 });
});
