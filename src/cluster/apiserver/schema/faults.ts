/** Faults while a value is walked. A fault learns its path only on the way back up, so a valid value never builds one. */
import { deepEqual } from "#api/meta/equality.ts";
import type { FieldError } from "#api/meta/field.ts";
import type { JsonValue } from "#api/meta/json.ts";

export interface Fault {
  /** Steps from the value in hand down to the fault: `.name`, `[0]`, and `[key]` for map keys when `keyed`. */
  path: string;
  readonly keyed: boolean;
  readonly describe: (path: string) => FieldError;
}

export class Faults {
  readonly list: Fault[] = [];
  /** How much deeper the walk may go. */
  depth: number;
  /** What stood where the value in hand stands, in the object before; undefined where there is none. */
  old: JsonValue | undefined;

  constructor(depth: number, old?: JsonValue) {
    this.depth = depth;
    this.old = old;
  }

  /** Forgets the faults from `mark` on when the value they are of is the one from before; true when it does. */
  forgive(mark: number, value: JsonValue): boolean {
    if (this.old === undefined || !deepEqual(value, this.old)) return false;
    this.list.length = mark;
    return true;
  }

  /** `keyed` faults write map keys as `[key]` in their path, the others as `.key`. */
  add(describe: (path: string) => FieldError, keyed = false): void {
    this.list.push({ path: "", keyed, describe });
  }

  /** Places all faults from `mark` on below a member. */
  belowMember(mark: number, name: string, isMapKey: boolean): void {
    for (let each = mark; each < this.list.length; each++) {
      const fault = this.list[each] as Fault;
      fault.path = (isMapKey && fault.keyed ? `[${name}]` : `.${name}`) + fault.path;
    }
  }

  belowItem(mark: number, position: number): void {
    for (let each = mark; each < this.list.length; each++) {
      const fault = this.list[each] as Fault;
      fault.path = `[${position}]${fault.path}`;
    }
  }

  /** The field errors, each once. */
  errors(): readonly FieldError[] {
    const seen = new Set<string>();
    return this.list.flatMap((fault) => {
      const error = fault.describe(fault.path.startsWith(".") ? fault.path.slice(1) : fault.path);
      const identity = `${error.field}\n${error.body}`;
      if (seen.has(identity)) return [];
      seen.add(identity);
      return [error];
    });
  }
}
