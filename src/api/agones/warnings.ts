/** What the contract lets pass although it can hardly be meant: told to whoever writes it, and accepted. */
import { child, index, key } from "../meta/field.ts";
import type { GameServerSpec } from "./gameserver.ts";

/** Of a spec at `path` that its schema has accepted. */
export function gameServerWarnings({ ports, counters, lists }: GameServerSpec, path: string): readonly string[] {
  return [
    ...(ports ?? []).flatMap(({ portPolicy, hostPort }, position) =>
      portPolicy === "Static" && !hostPort
        ? [
            `${child(index(child(path, "ports"), position), "hostPort")}: a Static port without one is reached by nobody`,
          ]
        : [],
    ),
    ...Object.entries(counters ?? {}).flatMap(([name, { count = 0n, capacity }]) =>
      capacity !== undefined && count > capacity
        ? [`${key(child(path, "counters"), name)}.count: ${count} is more than the capacity, which is ${capacity}`]
        : [],
    ),
    ...Object.entries(lists ?? {}).flatMap(([name, { values = [], capacity }]) =>
      capacity !== undefined && values.length > capacity
        ? [
            `${key(child(path, "lists"), name)}.values: ${values.length} are more than the capacity, which is ${capacity}`,
          ]
        : [],
    ),
  ];
}
