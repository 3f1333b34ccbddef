import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { featureGates } from "#api/agones/feature-gates.ts";
import { fleet } from "#api/agones/gameserver.fixture.ts";
import { reviewOf } from "#api/autoscaling/review.ts";
import { openWebhook } from "#controllers/fleetautoscaler/webhook.ts";
import { systemClock } from "#runtime/clock.ts";

/** Starts the webhook and asks it as an autoscaler does. */
async function start() {
  const child = spawn(process.execPath, [join(import.meta.dirname, "server.ts"), "0"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const url = `${/http:\S+/.exec(line)?.[0]}/scale`;
  const webhook = openWebhook({ url }, systemClock);
  onTestFinished(() => webhook.close());
  const ask = async (allocatedReplicas: number, labels?: Readonly<Record<string, string>>) => {
    const asked = { ...fleet({}, { labels }), status: { allocatedReplicas } };
    return webhook.review(reviewOf(asked, "review-1", featureGates()), new AbortController().signal);
  };
  return { url, ask };
}

test("the example keeps a share of the servers free, as the fleet's label says, and never fewer than two", async () => {
  const { url, ask } = await start();
  expect(await ask(0)).toEqual({ uid: "review-1", scale: true, replicas: 2 });
  expect(await ask(30)).toMatchObject({ replicas: 40 });
  expect(await ask(30, { free: "50" })).toMatchObject({ replicas: 60 });
  for (const free of ["half", "", "40%"]) expect(await ask(30, { free })).toMatchObject({ replicas: 40 });
  expect((await fetch(url)).status).toBe(405);
  expect((await fetch(url, { method: "POST", body: "no JSON" })).status).toBe(400);
});
