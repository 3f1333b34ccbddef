import type { Fleet } from "#api/agones/fleet.ts";

export const QUICK_START_FLEET = "simple-game-server";

/** A fleet to show commands with: one that servers can be allocated of, the quick start's before others. */
export interface ExampleFleet {
  readonly name: string;
  readonly replicas: number;
}

/** Else one without servers, or none. */
export function exampleOf(fleets: readonly Fleet[]): ExampleFleet | undefined {
  const examples = fleets.map(({ metadata, spec }) => ({ name: metadata.name ?? "", replicas: spec.replicas ?? 0 }));
  const wanted = examples.filter(({ replicas }) => replicas > 0);
  return wanted.find(({ name }) => name === QUICK_START_FLEET) ?? wanted[0] ?? examples[0];
}
