import { expect, test } from "vitest";
import { CliError } from "./errors.ts";
import { compileTemplate } from "./json-path-template.ts";

const list = {
  kind: "List",
  items: [
    {
      metadata: { name: "a", labels: { "agones.dev/fleet": "arena" } },
      status: { state: "Ready", ports: [{ port: 7001 }] },
    },
    { metadata: { name: "b" }, status: { state: "Allocated", ports: [{ port: 7002 }, { port: 7003 }] } },
  ],
};

test.each([
  ["{.kind}", "List"],
  [".kind", "List"],
  ["{$.kind}", "List"],
  ["{.items[*].metadata.name}", "a b"],
  ["{.items[1].status.ports[*].port}", "7002 7003"],
  ["{.items[0].status.ports}", '[{"port":7001}]'],
  ["{.items[0].metadata.labels.agones\\.dev/fleet}", "arena"],
  ["{.items[0].metadata.labels['agones.dev/fleet']}", "arena"],
  ['{.items[?(@.status.state=="Ready")].metadata.name}', "a"],
  ['{range .items[*]}{.metadata.name}:{@.status.state}{"\\n"}{end}', "a:Ready\nb:Allocated\n"],
  ["{range .items[*]}{range .status.ports[*]}<{.port}>{end};{end}", "<7001>;<7002><7003>;"],
  ["kind is {.kind}, {.absent}", "kind is List, "],
  ["{.items[0].absent.deeper}", ""],
])("%s writes %j", (template, text) => expect(compileTemplate(template)(list)).toBe(text));

test.each(["{.a", "{range .items[*]}x", "x{end}", "{a b}", "{.items[(@.length-1)]}"])(
  "%s is a fault of the words",
  (template) => {
    expect(() => compileTemplate(template)).toThrow(CliError);
    expect(() => compileTemplate(template)).toThrow(/^jsonpath: /);
  },
);
