/** As much of an assembler for WebAssembly as tests of plug-ins need. */

export type ValueType = "i32" | "i64";
export type Code = readonly (number | Code)[];

export interface AssembledFunction {
  readonly name?: string;
  readonly params?: readonly ValueType[];
  readonly results?: readonly ValueType[];
  readonly locals?: readonly ValueType[];
  readonly code: Code;
}

export interface AssembledImport {
  readonly module: string;
  readonly name: string;
  readonly params?: readonly ValueType[];
  readonly results?: readonly ValueType[];
}

const types: Readonly<Record<ValueType, number>> = { i32: 0x7f, i64: 0x7e };

/** Unsigned LEB128. */
function unsigned(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}

/** Signed LEB128 of a number that is not negative. */
function signed(value: number): readonly number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...signed(value >>> 7)];
}

const flat = (code: Code): readonly number[] =>
  code.flatMap((each) => (typeof each === "number" ? [each] : flat(each)));
const text = (value: string): Code => [unsigned(Buffer.byteLength(value)), [...Buffer.from(value)]];
const vector = (items: readonly Code[]): Code => [unsigned(items.length), ...items];
const section = (id: number, content: Code): Code => [id, unsigned(flat(content).length), content];
const signature = ({
  params = [],
  results = [],
}: {
  readonly params?: readonly ValueType[];
  readonly results?: readonly ValueType[];
}): Code => [0x60, vector(params.map((type) => [types[type]])), vector(results.map((type) => [types[type]]))];

/** The instructions that the plug-ins of tests use. */
export const op = {
  i32: (value: number): Code => [0x41, signed(value)],
  i64: (value: number): Code => [0x42, signed(value)],
  call: (index: number): Code => [0x10, unsigned(index)],
  get: (local: number): Code => [0x20, unsigned(local)],
  set: (local: number): Code => [0x21, unsigned(local)],
  load8: [0x2d, 0, 0],
  store8: [0x3a, 0, 0],
  isZero64: [0x50],
  isZero32: [0x45],
  less64: [0x54],
  add64: [0x7c],
  toI32: [0xa7],
  drop: [0x1a],
  unreachable: [0x00],
  when: (code: Code): Code => [0x04, 0x40, code, 0x0b],
  loop: (code: Code): Code => [0x03, 0x40, code, 0x0b],
  branch: (depth: number): Code => [0x0c, unsigned(depth)],
} as const;

/** A module with one page of memory, which it exports, and `data` at its start. Functions are numbered after the imports. */
export function assemble(module: {
  readonly imports: readonly AssembledImport[];
  readonly functions: readonly AssembledFunction[];
  readonly data: string;
}): Uint8Array<ArrayBuffer> {
  const { imports, functions, data } = module;
  const exported = functions.flatMap(({ name }, at) =>
    name === undefined ? [] : [{ name, index: imports.length + at }],
  );
  const bodies = functions.map(({ locals = [], code }): Code => {
    const body: Code = [vector(locals.map((type) => [1, types[type]])), code, 0x0b];
    return [unsigned(flat(body).length), body];
  });
  return new Uint8Array(
    flat([
      [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, vector([...imports, ...functions].map(signature))),
      section(2, vector(imports.map((each, at) => [text(each.module), text(each.name), 0, unsigned(at)]))),
      section(3, vector(functions.map((_, at) => [unsigned(imports.length + at)]))),
      section(5, vector([[0, 1]])),
      section(
        7,
        vector([[text("memory"), 2, 0], ...exported.map(({ name, index }) => [text(name), 0, unsigned(index)])]),
      ),
      section(10, vector(bodies)),
      section(11, vector([[0, op.i32(0), 0x0b, text(data)]])),
    ]),
  );
}
