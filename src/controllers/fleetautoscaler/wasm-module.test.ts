import { describe, expect, test } from "vitest";
import { assemble } from "./assemble.fixture.ts";
import { PluginError } from "./extism-host.ts";
import { plugin } from "./plugin.fixture.ts";
import { loadModule } from "./wasm-module.ts";

const load = async (bytes = plugin, config = {}) => {
  const logged: string[] = [];
  const module = await loadModule(bytes, config, (level, text) => logged.push(`${level} ${text}`));
  const call = (name: string, input = ""): string =>
    new TextDecoder().decode(module.call(name, new TextEncoder().encode(input)));
  return { call, logged };
};

describe("a plug-in", () => {
  test("is given its input and gives its output, of whatever length", async () => {
    const { call } = await load();
    for (const input of ["", "a", '{"request":{}}', "ä".repeat(100_000)]) expect(call("echo", input)).toBe(input);
  });

  test("reads its settings, which are none by default", async () => {
    expect((await load(plugin, { answer: "forty-two" })).call("scale")).toBe("forty-two");
    expect((await load(plugin, { other: "forty-two" })).call("scale")).toContain('"replicas":5');
    expect((await load(plugin, { answer: "" })).call("scale")).toContain('"replicas":5');
  });

  test("keeps its variables between calls", async () => {
    const { call } = await load();
    expect([call("remember"), call("remember"), call("remember")].map((each) => /\d/.exec(each)?.[0])).toEqual([
      "5",
      "7",
      "7",
    ]);
  });

  test("may log", async () => {
    const { call, logged } = await load();
    call("warn");
    expect(logged).toEqual(["warn the oracle is silent"]);
  });

  test("fails with the error that it sets, and can be called again", async () => {
    const { call } = await load();
    expect(() => call("fail")).toThrow(PluginError);
    expect(() => call("fail")).toThrow("the oracle is silent");
    expect(call("scale")).toContain('"replicas":5');
  });

  test("fails with its trap", async () => {
    const { call } = await load();
    expect(() => call("trap")).toThrow("unreachable");
  });

  test("is refused HTTP", async () => {
    const { call } = await load();
    expect(() => call("ask")).toThrow("HTTP requests are not allowed");
  });

  test.each(["missing", "memory", "toString", "__proto__"])("has no function %s", async (name) => {
    const { call } = await load();
    expect(() => call(name)).toThrow(`unknown function: ${name}`);
  });

  test("that is none, or asks for what there is not, is not loaded", async () => {
    await expect(load(new Uint8Array([1, 2, 3]))).rejects.toThrow("WebAssembly");
    const wants = assemble({ imports: [{ module: "extism:host/user", name: "pay" }], functions: [], data: "" });
    await expect(load(wants)).rejects.toThrow("extism:host/user");
  });
});
