import { describe, expect, it } from "vitest";
import { Cluster } from "./harness/cluster.ts";

describe("start", () => {
  it("works", async () => {
    const c = new Cluster();
    await c.start();
    console.log(
      c.supervisor.out,
      c.processes().map((p) => p.command.join(" ")),
      await c.containers(),
    );
    console.log(await c.kubectl("get gs,pods"));
    const t = Date.now();
    expect((await c.stop()).code).toBe(0);
    console.log(Date.now() - t, await c.end());
  });
});
