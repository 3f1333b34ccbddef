/** Small schema builders shared by the kinds: what TypeBox lacks of the structural schemas Kubernetes wants. */
import type { Static, TSchema } from "typebox";
import * as Type from "typebox";

type Options = Readonly<Record<string, unknown>>;

/**
 * The schema with words of its own for this place. What clients explain a member with, and the reference pages, are made of them:
 * `Default: X.` says what admission fills in, `Needs the feature gate X.` what must be on.
 */
export const described = <T extends TSchema>(schema: T, description: string) =>
  Type.Unsafe<Static<T>>({ ...schema, description });

/** A 64-bit integer: `bigint` in memory, a JSON number on the wire. */
export const Int64 = (options: Options = {}) => Type.Unsafe<bigint>({ type: "integer", format: "int64", ...options });

/** A 32-bit integer. */
export const Int32 = (options: Options = {}) => Type.Unsafe<number>({ type: "integer", format: "int32", ...options });

/** One of a closed set of strings. */
export const OneOf = <const T extends readonly string[]>(values: T, options: Options = {}) =>
  Type.Unsafe<T[number]>({ type: "string", enum: [...values], ...options });

/** `null` is accepted and means absent. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T> | null>({ ...schema, nullable: true });

/** A map with free keys. */
export const MapOf = <T extends TSchema>(value: T, options: Options = {}) =>
  Type.Unsafe<Readonly<Record<string, Static<T>>>>({ type: "object", additionalProperties: value, ...options });

/** A list, read-only by type. */
export const ArrayOf = <T extends TSchema>(items: T, options: Options = {}) =>
  Type.Unsafe<readonly Static<T>[]>({ type: "array", items, ...options });

export const IntOrString = (options: Options = {}) =>
  Type.Unsafe<number | string>({ "x-kubernetes-int-or-string": true, ...options });
