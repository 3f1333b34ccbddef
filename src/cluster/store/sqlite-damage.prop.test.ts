import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SqliteDatabase } from "./sqlite-database.ts";
import { StoreError, type StoreWrite } from "./store.ts";

const files = ["objects.db", "objects.db-wal", "objects.marker"];
const root = mkdtempSync(join(tmpdir(), "stadion-damage-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Rows = Readonly<Record<string, string>>;

/** What a kill left behind, and every state that was ever committed before it. */
interface Image {
  readonly folder: string;
  readonly states: readonly Rows[];
  /** The state that is in the main file, without its log. */
  readonly folded: number;
  /** The kill came while the log was being folded: damage to the log may leave nothing that is any one commit. */
  readonly midway: boolean;
}

function rowsIn(database: SqliteDatabase): Rows {
  const rows: Record<string, string> = {};
  for (let after = 0; ; ) {
    const slice = database.slice(after, 50);
    if (slice.rows.length === 0) return rows;
    for (const { key, revision, value } of slice.rows) rows[key] = `${revision} ${new TextDecoder().decode(value)}`;
    after = slice.last;
  }
}

function copy(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  for (const file of files) if (existsSync(join(from, file))) copyFileSync(join(from, file), join(to, file));
}

/** Commits `before`, closes in order, commits `after`, and takes the files as a kill would leave them. */
function imageOf(name: string, before: number, after: number, midway = false): Image {
  // Rows of one size are changed in place: no structure tells their versions apart.
  const repeats = (at: number, offset: number) => (midway ? 100 : ((at * 31 + offset * 97) % 450) + 1);
  const live = join(root, `${name}-live`);
  let rows: Record<string, string> = {};
  const states: Rows[] = [rows];
  let revision = 10;
  const commit = (database: SqliteDatabase, at: number) => {
    const writes: StoreWrite[] = [0, 1, 2].map((offset) => {
      const key = `/pods/default/${(at * 7 + offset * 5) % 41}`;
      const text = `value ${String(at).padStart(2)} `.repeat(repeats(at, offset));
      return {
        key,
        revision: ++revision,
        value: !midway && (at + offset) % 5 === 4 ? null : new TextEncoder().encode(text),
      };
    });
    database.commit(writes);
    rows = { ...rows };
    for (const { key, revision, value } of writes) {
      delete rows[key];
      if (value) rows[key] = `${revision} ${new TextDecoder().decode(value)}`;
    }
    states.push(rows);
  };
  const first = new SqliteDatabase(live);
  for (let at = 0; at < before; at++) commit(first, at);
  first.close();
  const second = new SqliteDatabase(live);
  for (let at = before; at < before + after; at++) commit(second, at);
  const folder = join(root, name);
  copy(live, folder);
  second.close();
  if (midway) copyFileSync(join(live, "objects.db"), join(folder, "objects.db"));
  return { folder, states, folded: before, midway };
}

const attempt = (folder: string): { rows: Rows; next: number } | StoreError => {
  try {
    const database = new SqliteDatabase(folder);
    const found = { rows: rowsIn(database), next: database.firstRevision };
    database.close();
    return found;
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
};

describe("a damaged data folder", () => {
  let images: readonly Image[] = [];
  beforeAll(() => {
    images = [
      imageOf("log-only", 0, 12),
      imageOf("both", 20, 12),
      imageOf("main-only", 20, 0),
      imageOf("midway", 20, 12, true),
    ];
  });

  test("undamaged, gives the last state", () => {
    for (const { folder, states } of images) {
      copy(folder, join(root, "whole"));
      expect(attempt(join(root, "whole"))).toMatchObject({ rows: states.at(-1) });
    }
  });

  /** Millionths of the file's size: `fc.double` would nearly always say almost 0. */
  const where = fc.nat(999_999);
  const damages = fc.oneof(
    fc.record({ how: fc.constant("cut" as const), at: where }),
    fc.record({ how: fc.constant("flip" as const), at: where, bit: fc.nat(7) }),
    fc.record({
      how: fc.constant("noise" as const),
      at: where,
      bytes: fc.uint8Array({ minLength: 1, maxLength: 5_000 }),
    }),
    fc.record({ how: fc.constant("zeros" as const), at: where, length: fc.integer({ min: 1, max: 9_000 }) }),
  );

  function damage(file: string, what: typeof damages extends fc.Arbitrary<infer T> ? T : never): void {
    const bytes = readFileSync(file);
    const offset = Math.floor((what.at / 1_000_000) * bytes.length);
    if (what.how === "cut") truncateSync(file, offset);
    else {
      if (what.how === "flip") bytes[offset] = (bytes[offset] ?? 0) ^ (1 << what.bit);
      if (what.how === "noise") bytes.set(what.bytes.subarray(0, bytes.length - offset), offset);
      if (what.how === "zeros") bytes.fill(0, offset, Math.min(bytes.length, offset + what.length));
      writeFileSync(file, bytes);
    }
  }

  test("is a prefix of the commits or reported by name, whatever is cut or changed where", { timeout: 60_000 }, () => {
    const outcomes = { prefix: 0, damaged: 0 };
    fc.assert(
      fc.property(fc.nat(3), fc.constantFrom(...files), damages, (which, file, what) => {
        const { folder, states, folded, midway } = images[which]!;
        const broken = join(root, "broken");
        copy(folder, broken);
        if (!existsSync(join(broken, file))) return;
        damage(join(broken, file), what);
        const found = attempt(broken);
        if (found instanceof StoreError) {
          outcomes.damaged++;
          expect(found.code).toBe("StoreDamaged");
          expect(found.message).toContain(join(broken, "objects.db"));
          expect(file === "objects.db" || (midway && file === "objects.db-wal")).toBe(true);
          // It stays so: nothing was quietly repaired by looking.
          expect(attempt(broken)).toMatchObject({ code: "StoreDamaged" });
          return;
        }
        outcomes.prefix++;
        const at = states.findIndex((state) => JSON.stringify(state) === JSON.stringify(sorted(found.rows, state)));
        expect(at).toBeGreaterThanOrEqual(file === "objects.db-wal" ? folded : states.length - 1);
        expect(found.next).toBeGreaterThan(100_000);
      }),
      { numRuns: 150 },
    );
    expect(outcomes.prefix).toBeGreaterThan(10);
    expect(outcomes.damaged).toBeGreaterThan(10);
  });

  test("without its log is the state that was folded into the main file", () => {
    const { folder, states, folded } = images[1]!;
    copy(folder, join(root, "lost"));
    rmSync(join(root, "lost", "objects.db-wal"));
    expect(attempt(join(root, "lost"))).toMatchObject({ rows: states[folded] });
  });
});

/** `rows` with its members in the order of `like`, to compare as text. */
function sorted(rows: Rows, like: Rows): Rows {
  const keys = [...new Set([...Object.keys(like), ...Object.keys(rows)])].filter((key) => key in rows);
  return Object.fromEntries(keys.map((key) => [key, rows[key] ?? ""]));
}
