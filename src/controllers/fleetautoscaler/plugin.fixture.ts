/** A plug-in as Extism's development kits would make one, and one that needs WASI. */
import { type AssembledImport, assemble, type Code, op } from "./assemble.fixture.ts";

const HOST = "extism:host/env";
const host = (name: string, params: AssembledImport["params"], results: AssembledImport["results"] = []) => ({
  module: HOST,
  name,
  params,
  results,
});
const imports = [
  host("alloc", ["i64"], ["i64"]),
  host("length", ["i64"], ["i64"]),
  host("store_u8", ["i64", "i32"]),
  host("input_length", [], ["i64"]),
  host("input_load_u8", ["i64"], ["i32"]),
  host("output_set", ["i64", "i64"]),
  host("error_set", ["i64"]),
  host("config_get", ["i64"], ["i64"]),
  host("var_get", ["i64"], ["i64"]),
  host("var_set", ["i64", "i64"]),
  host("log_warn", ["i64"]),
  host("http_request", ["i64", "i64"], ["i64"]),
] as const;
const callHost = (name: (typeof imports)[number]["name"]): Code =>
  op.call(imports.findIndex((each) => each.name === name));

/** Texts of the data segment, one after the other. */
const texts = {
  answer: "answer",
  five: '{"response":{"scale":true,"replicas":5}}',
  none: '{"response":{"scale":false}}',
  seven: '{"response":{"scale":true,"replicas":7}}',
  failure: "the oracle is silent",
} as const;
const data = Object.values(texts).join("");
const PUT = imports.length;

/** Leaves the offset of a copy of a text in the host's memory. */
const put = (name: keyof typeof texts): Code => [
  op.i64(data.indexOf(texts[name])),
  op.i64(texts[name].length),
  op.call(PUT),
];
/** Gives the block at an offset in local 0 as output. */
const output: Code = [op.get(0), op.get(0), callHost("length"), callHost("output_set")];

/** Copies bytes: for every number in local `at` below `length`. */
const copying = (at: number, length: Code, target: Code, source: Code): Code =>
  op.loop([
    op.get(at),
    length,
    op.less64,
    op.when([
      target,
      op.get(at),
      op.add64,
      source,
      callHost("store_u8"),
      [op.get(at), op.i64(1), op.add64, op.set(at)],
      op.branch(1),
    ]),
  ]);

/**
 * `scale` answers the setting `answer`, or 5 servers; `scaleNone` not to scale; `echo` its input; `remember` 5 at first, then 7;
 * `fail` sets an error and returns 1; `warn` logs; `ask` asks for HTTP; `trap` and `spin` do what they are called.
 */
export const plugin = assemble({
  imports,
  data,
  functions: [
    {
      params: ["i64", "i64"],
      results: ["i64"],
      locals: ["i64", "i64"],
      code: [
        [op.get(1), callHost("alloc"), op.set(2)],
        copying(3, op.get(1), op.get(2), [op.get(0), op.get(3), op.add64, op.toI32, op.load8]),
        op.get(2),
      ],
    },
    {
      name: "scale",
      locals: ["i64"],
      code: [
        [put("answer"), callHost("config_get"), op.set(0)],
        [op.get(0), op.isZero64, op.when([put("five"), op.set(0)])],
        output,
      ],
    },
    { name: "scaleNone", locals: ["i64"], code: [put("none"), op.set(0), output] },
    {
      name: "echo",
      locals: ["i64", "i64"],
      code: [
        [callHost("input_length"), callHost("alloc"), op.set(0)],
        copying(1, callHost("input_length"), op.get(0), [op.get(1), callHost("input_load_u8")]),
        output,
      ],
    },
    {
      name: "remember",
      locals: ["i64"],
      code: [
        [put("answer"), callHost("var_get"), op.set(0)],
        [put("answer"), put("seven"), callHost("var_set")],
        [op.get(0), op.isZero64, op.when([put("five"), op.set(0)])],
        output,
      ],
    },
    { name: "fail", results: ["i32"], code: [put("failure"), callHost("error_set"), op.i32(1)] },
    { name: "warn", locals: ["i64"], code: [put("failure"), callHost("log_warn"), put("five"), op.set(0), output] },
    { name: "ask", code: [op.i64(0), op.i64(0), callHost("http_request"), op.drop] },
    { name: "trap", code: [op.unreachable] },
    { name: "spin", code: [op.loop([op.branch(0)])] },
  ],
});

/** Its `scale` traps unless it was initialized and WASI gives it random bytes. */
export const wasiPlugin = assemble({
  imports: [
    { module: "wasi_snapshot_preview1", name: "random_get", params: ["i32", "i32"], results: ["i32"] },
    { module: "wasi_snapshot_preview1", name: "environ_sizes_get", params: ["i32", "i32"], results: ["i32"] },
  ],
  data: "",
  functions: [
    { name: "_initialize", code: [op.i32(100), op.i32(1), op.store8] },
    {
      name: "scale",
      code: [
        [op.i32(100), op.load8, op.isZero32, op.when(op.unreachable)],
        [op.i32(0), op.i32(8), op.call(0), op.when(op.unreachable)],
        // Two numbers at 16 and 20: how many variables there are, and how long they are.
        [op.i32(16), op.i32(20), op.call(1), op.when(op.unreachable)],
        [op.i32(16), op.load8, op.when(op.unreachable)],
      ],
    },
  ],
});
