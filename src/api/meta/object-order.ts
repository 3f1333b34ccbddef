/** Orders of objects. Texts are compared by their code units: `localeCompare` costs a hundred times as much. */
import type { KubeObject } from "./object.ts";

export type Compare<T> = (a: T, b: T) => number;

/** The order of the first that tells them apart. */
export const anyOf =
  <T>(first: Compare<T>, second: Compare<T>): Compare<T> =>
  (a, b) =>
    first(a, b) || second(a, b);

export const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const byName: Compare<KubeObject> = (a, b) => order(a.metadata.name ?? "", b.metadata.name ?? "");

/** The oldest first. RFC 3339 in UTC with whole seconds sorts as text. */
export const byAge: Compare<KubeObject> = (a, b) =>
  order(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "");
