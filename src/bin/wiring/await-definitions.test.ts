import { expect, test } from "vitest";
import type { Client } from "#kube/client.ts";
import { FakeClock } from "#runtime/clock.ts";
import { awaitDefinitions } from "./await-definitions.ts";

/** A client whose definitions are served from a time on, and say so in their condition. */
function serving(clock: FakeClock, afterMs: number) {
  const asked: string[] = [];
  const began = clock.monotonic();
  const get = async (_type: unknown, _namespace: string, name: string) => {
    asked.push(name);
    const status = clock.monotonic() - began >= afterMs ? "True" : "False";
    const condition = { type: "Established", status, reason: "-", message: "not accepted yet" };
    return {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name },
      status: { conditions: [condition] },
    };
  };
  return { client: { get } as unknown as Pick<Client, "get">, asked };
}

test("waits for one definition after the other, a second between two looks", async () => {
  const clock = new FakeClock();
  const { client, asked } = serving(clock, 2000);
  const done = awaitDefinitions(client, ["a.example", "b.example"], { clock, signal: new AbortController().signal });
  await clock.advance(2000);
  await done;
  expect(asked).toEqual(["a.example", "a.example", "a.example", "b.example"]);
});

test("a definition that is not served after a minute is named, with what its condition says", async () => {
  const clock = new FakeClock();
  const { client } = serving(clock, Number.POSITIVE_INFINITY);
  const done = awaitDefinitions(client, ["a.example"], { clock, signal: new AbortController().signal });
  const refused = expect(done).rejects.toMatchObject({
    code: "DefinitionNotServed",
    message: "a.example is not served: not accepted yet",
  });
  await clock.advance(61_000);
  await refused;
});
