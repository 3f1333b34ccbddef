/** What a call does to a list. */
import type { ListStatus } from "#api/agones/common.ts";
import { LIST_MAX_ITEMS } from "#api/agones/constants.ts";
import { withoutValues, withValues } from "#api/agones/counters-and-lists.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { NO_VALUES, type ValuesChange, valuesChange } from "./decide-values.ts";

export interface ListChange extends ValuesChange {
  readonly type: "list";
  readonly key: string;
}

type Decision = { readonly change?: ListChange } | { readonly refused: string };

export interface ListRequest {
  readonly list: { readonly name: string; readonly capacity: bigint; readonly values: readonly string[] } | undefined;
  /** Names of fields. Empty: the fields that `list` sets. */
  readonly mask: readonly string[] | undefined;
}

const FIELDS = ["name", "capacity", "values"] as const;

/** The list of that name, or `undefined`. */
export function listOf({ status }: GameServer, name: string): ListStatus | undefined {
  const lists = status?.lists;
  return lists && Object.hasOwn(lists, name) ? lists[name] : undefined;
}

export function decideAddition(gameServer: GameServer, name: string, value: string): Decision {
  const list = listOf(gameServer, name);
  if (!list) return { refused: `list not found: ${name}` };
  const { capacity = 0n, values = [] } = list;
  if (BigInt(values.length) >= capacity)
    return {
      refused: `out of range. No available capacity. Current Capacity: ${capacity}, List Size: ${values.length}`,
    };
  if (values.includes(value)) return { refused: `already exists. Value: ${value} already in List: ${name}` };
  return { change: { type: "list", key: name, ...NO_VALUES, add: [value] } };
}

export function decideRemoval(gameServer: GameServer, name: string, value: string): Decision {
  const list = listOf(gameServer, name);
  if (!list) return { refused: `list not found: ${name}` };
  if (!list.values?.includes(value)) return { refused: `not found: value ${value} not in list ${name}` };
  return { change: { type: "list", key: name, ...NO_VALUES, remove: [value] } };
}

/**
 * Sets the masked fields. Values that stay keep their places, new ones follow in the order of the request; what is beyond the
 * capacity is cut from the end.
 */
export function decideList(gameServer: GameServer, { list, mask }: ListRequest): Decision {
  if (!list || !mask)
    return {
      refused: `invalid argument. List: ${list ? listText(list) : "<nil>"} and UpdateMask ${mask ? maskText(mask) : "<nil>"} cannot be nil`,
    };
  const fields: readonly string[] = FIELDS;
  if (!mask.every((path) => fields.includes(path)))
    return {
      refused: `invalid argument. Field Mask Path(s): [${mask.join(" ")}] are invalid for List. Use valid field name(s): ${FIELDS.join(", ")}`,
    };
  if (list.capacity < 0n || list.capacity > BigInt(LIST_MAX_ITEMS))
    return {
      refused: `out of range. Capacity must be within range [0,${LIST_MAX_ITEMS}]. Found Capacity: ${list.capacity}`,
    };
  const present = listOf(gameServer, list.name);
  if (!present) return { refused: `list not found: ${list.name}` };
  const masked = new Set(mask.length ? mask : fieldsSetBy(list));
  if (!masked.has("capacity") && !masked.has("values")) return {};
  const capacity = masked.has("capacity") ? list.capacity : undefined;
  const { values: before = [] } = present;
  const asked = new Set(list.values);
  const { values: after = [] } = withValues(
    {
      capacity: capacity ?? present.capacity ?? 0n,
      values: masked.has("values") ? before.filter((value) => asked.has(value)) : before,
    },
    masked.has("values") ? list.values : [],
  );
  return {
    change: {
      type: "list",
      key: list.name,
      ...valuesChange(before, after),
      ...(capacity !== undefined && { capacity }),
    },
  };
}

export function applyToList(list: ListStatus, { capacity, remove, add }: ListChange): ListStatus {
  return withValues(withoutValues({ ...list, capacity: capacity ?? list.capacity ?? 0n }, remove), add);
}

type List = NonNullable<ListRequest["list"]>;

const fieldsSetBy = ({ capacity, values }: List): readonly string[] => [
  ...(capacity === 0n ? [] : ["capacity"]),
  ...(values.length === 0 ? [] : ["values"]),
];

const listText = ({ name, capacity, values }: List): string =>
  [
    ...(name ? [`name:${JSON.stringify(name)}`] : []),
    ...(capacity ? [`capacity:${capacity}`] : []),
    ...values.map((value) => `values:${JSON.stringify(value)}`),
  ].join(" ");

const maskText = (paths: readonly string[]): string => paths.map((path) => `paths:${JSON.stringify(path)}`).join(" ");
