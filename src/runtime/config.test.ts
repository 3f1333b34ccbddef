import { expect, expectTypeOf, test } from "vitest";
import {
  boolean,
  ConfigError,
  duration,
  integer,
  number,
  oneOf,
  port,
  quantity,
  readConfig,
  text,
  variableOf,
} from "./config.ts";

const options = {
  "num-workers": integer({ default: 64, min: 1, help: "workers per queue" }),
  "http-port": port({ default: 8080, help: "health and metrics" }),
  "wait-time": duration({ default: 500, help: "batching" }),
  "memory-limit": quantity({ default: undefined, help: "memory" }),
  "leader-election": boolean({ default: false, help: "several replicas" }),
  "log-level": oneOf(["debug", "info"], { default: "info", help: "how much" }),
  "data-dir": text({ default: undefined, help: "state" }),
} as const;
const read = (argv: readonly string[], env: Record<string, string> = {}) => readConfig(options, { argv, env });
const problemsOf = (argv: readonly string[], env: Record<string, string> = {}) => {
  try {
    read(argv, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
  }
  return undefined;
};

test("gives the defaults, under camel-case names and with their types", () => {
  const config = read([]);
  expect(config).toEqual({
    numWorkers: 64,
    httpPort: 8080,
    waitTime: 500,
    memoryLimit: undefined,
    leaderElection: false,
    logLevel: "info",
    dataDir: undefined,
  });
  expectTypeOf(config.numWorkers).toEqualTypeOf<number>();
  expectTypeOf(config.logLevel).toEqualTypeOf<"debug" | "info">();
  expectTypeOf(config.dataDir).toEqualTypeOf<string | undefined>();
});

test("a flag wins over the environment, the environment over the default", () => {
  const env = { NUM_WORKERS: "7", HTTP_PORT: "9000" };
  expect(read(["--num-workers=5"], env)).toMatchObject({ numWorkers: 5, httpPort: 9000, waitTime: 500 });
});

test("an empty variable counts as absent, an empty flag does not", () => {
  expect(read([], { NUM_WORKERS: "" }).numWorkers).toBe(64);
  expect(problemsOf(["--num-workers="])).toEqual(['--num-workers must be an integer of at least 1, but is ""']);
});

test("reads every kind of value, apart or joined by an equals sign", () => {
  const config = read([
    ...["--num-workers", "3", "--http-port=0", "--wait-time=1m30s", "--memory-limit", "64Mi"],
    ...["--leader-election", "--log-level=debug", "--data-dir", "a=b"],
  ]);
  expect(config).toMatchObject({
    numWorkers: 3,
    httpPort: 0,
    waitTime: 90_000,
    leaderElection: true,
    logLevel: "debug",
    dataDir: "a=b",
  });
  expect(config.memoryLimit?.format).toBe("BinarySI");
});

test("a word is taken in capital letters too, as manifests of Agones have it", () => {
  expect(read(["--log-level=Info"]).logLevel).toBe("info");
});

test("the last of several counts", () => {
  expect(read(["--num-workers=1", "--num-workers=2"]).numWorkers).toBe(2);
});

test("one error names every flag or variable, its rule and its value", () => {
  const argv = ["--http-port=70000", "--wait-time=-1s", "--memory-limit=much", "--log-level", "loud", "--unknown=1"];
  expect(problemsOf([...argv, "--data-dir"], { NUM_WORKERS: "many", LEADER_ELECTION: "maybe" })?.toSorted()).toEqual([
    "--data-dir must be a text, but has no value",
    '--http-port must be a port from 0 to 65535, but is "70000"',
    '--log-level must be one of debug, info, but is "loud"',
    '--memory-limit must be a quantity such as 500m or 64Mi, but is "much"',
    '--wait-time must be a duration such as 500ms or 1m30s, but is "-1s"',
    'LEADER_ELECTION must be true or false, but is "maybe"',
    'NUM_WORKERS must be an integer of at least 1, but is "many"',
    "there is no flag --unknown",
  ]);
});

test("an unknown flag names the nearest one, and what follows it is its value", () => {
  expect(problemsOf(["--num-worker", "5", "--htp-port=1", "-data-dir=x", "--verion"])).toEqual([
    "there is no flag --num-worker: did you mean --num-workers?",
    "there is no flag --htp-port: did you mean --http-port?",
    "there is no flag -data-dir: did you mean --data-dir?",
    "there is no flag --verion: did you mean --version?",
  ]);
  expect(problemsOf(["--colour", "--num-workers=0", "stray"])).toEqual([
    "there is no flag --colour",
    'unexpected argument "stray"',
    '--num-workers must be an integer of at least 1, but is "0"',
  ]);
});

test("a number may have a fraction and a sign, and is written in decimal digits", () => {
  const limit = (value: string) =>
    readConfig({ limit: number({ default: 20, help: "" }) }, { argv: ["--limit", value] });
  for (const [text, value] of Object.entries({ "0.5": 0.5, "-1": -1, "+7": 7, ".5": 0.5, "3.": 3 }))
    expect(limit(text)).toEqual({ limit: value });
  for (const text of ["", "1e3", "Infinity", "0x1", "1.2.3", "."])
    expect(() => limit(text)).toThrow(`--limit must be a number, but is ${JSON.stringify(text)}`);
});

test("a name of Object.prototype is no flag", () => {
  expect(problemsOf(["--constructor=1"])).toEqual(["there is no flag --constructor"]);
});

test("the variable of a flag is its name in capitals with underscores", () => {
  expect(variableOf("api-server-qps-burst")).toBe("API_SERVER_QPS_BURST");
});

test("a switch takes the word true or false that follows it, and no other", () => {
  expect(read(["--leader-election=F"]).leaderElection).toBe(false);
  expect(read(["--leader-election", "false"]).leaderElection).toBe(false);
  expect(read(["--leader-election", "true", "--num-workers", "2"])).toMatchObject({
    leaderElection: true,
    numWorkers: 2,
  });
  expect(problemsOf(["--leader-election", "no"])).toEqual(['unexpected argument "no"']);
});

test("an option may have a letter, and take an empty variable for a value", () => {
  const given = {
    file: text({ default: "", help: "a file", letter: "f" }),
    address: text({ default: "localhost", help: "where", mayBeEmpty: true }),
  };
  const from = (argv: readonly string[], env: Record<string, string> = {}) => readConfig(given, { argv, env });
  expect(from(["-f", "a.yaml"]).file).toBe("a.yaml");
  expect(from(["-f=a.yaml", "--file=b.yaml"]).file).toBe("b.yaml");
  expect(from([], { ADDRESS: "" }).address).toBe("");
  expect(from([]).address).toBe("localhost");
  expect(() => from(["-g", "a"])).toThrow("there is no flag -g");
});
