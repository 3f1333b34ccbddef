import { agree } from "./agreement/agree.ts";

agree("a Fleet of the smallest manifest", async (api) => {
  await api.create({
    apiVersion: "agones.dev/v1",
    kind: "Fleet",
    metadata: { name: "duel" },
    spec: { template: { spec: { template: { spec: { containers: [{ name: "duel", image: "duel:3" }] } } } } },
  });
});
