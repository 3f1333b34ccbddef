import { expect, test } from "vitest";
import { FLEETS } from "#api/agones/resources.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "#api/core/resources.ts";
import { buildCustomResourceDefinitions } from "#api/definitions/crds.ts";
import type { Client } from "#kube/client.ts";
import { dataFolder, open } from "./embedded-api-fixture.ts";

test("our definitions are installed once, and brought up to date", async () => {
  const folder = dataFolder();
  const generations = async (client: Client) => {
    const { items } = await client.list(CUSTOM_RESOURCE_DEFINITIONS);
    return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.generation]));
  };
  const first = await open(folder);
  const made = buildCustomResourceDefinitions().map(({ metadata }) => [metadata.name, 1]);
  expect(await generations(first.client)).toEqual(Object.fromEntries(made));
  const fleets = await first.client.get(CUSTOM_RESOURCE_DEFINITIONS, "", "fleets.agones.dev");
  const names = { ...fleets.spec.names, shortNames: ["old"] };
  await first.client.update(CUSTOM_RESOURCE_DEFINITIONS, { ...fleets, spec: { ...fleets.spec, names } });
  await first.close();
  for (const _start of ["the next", "one more"]) {
    const { client, close } = await open(folder);
    const restored = await client.get(CUSTOM_RESOURCE_DEFINITIONS, "", "fleets.agones.dev");
    expect(restored.spec.names.shortNames).toEqual(fleets.spec.names.shortNames);
    expect(await generations(client)).toEqual({ ...Object.fromEntries(made), "fleets.agones.dev": 3 });
    await close();
  }
});

test("a definition of ours that somebody has given a version cannot be brought up to date, and keeps no cluster from its start", async () => {
  const folder = dataFolder();
  const first = await open(folder);
  const fleets = await first.client.get(CUSTOM_RESOURCE_DEFINITIONS, "", "fleets.agones.dev");
  const versions = fleets.spec.versions.flatMap((each) => [
    { ...each, storage: false },
    { ...each, name: "v2", storage: true },
  ]);
  await first.client.update(CUSTOM_RESOURCE_DEFINITIONS, { ...fleets, spec: { ...fleets.spec, versions } });
  await first.close();
  const { client, close } = await open(folder);
  const stored = await client.get(CUSTOM_RESOURCE_DEFINITIONS, "", "fleets.agones.dev");
  expect(stored.spec.versions.map(({ name }) => name)).toEqual(["v1", "v2"]);
  expect((await client.list(FLEETS)).items).toEqual([]);
  await close();
});
