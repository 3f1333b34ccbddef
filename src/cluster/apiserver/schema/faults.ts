/** Faults while a value is walked. A fault learns its path only on the way back up, so a valid value never builds one. */
import type { FieldError } from "#api/meta/field.ts";

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

  constructor(depth: number) {
    this.depth = depth;
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
