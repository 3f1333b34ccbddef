/** Holds the objects of a cluster that a controller keeps, and nothing else: the yardstick of its memory. The kubeconfig is its argument. */
import { readFileSync } from "node:fs";
import { Agent, get } from "node:https";
import { text } from "node:stream/consumers";
import { trimPod } from "#controllers/informers.ts";

const kubeconfig = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const { server, "certificate-authority-data": authority } = kubeconfig.clusters[0].cluster;
const agent = new Agent({ ca: Buffer.from(authority, "base64") });
const headers = { authorization: `Bearer ${kubeconfig.users[0].user.token}` };

const list = (path: string): Promise<readonly never[]> =>
  new Promise((resolve, reject) => {
    get(new URL(path, server), { agent, headers }, async (response) => {
      resolve(JSON.parse(await text(response)).items);
    }).on("error", reject);
  });

const held: object[] = [];
for (const plural of ["gameservers", "gameserversets", "fleets"])
  held.push(await list(`/apis/agones.dev/v1/${plural}`));
held.push((await list("/api/v1/pods")).map(trimPod), await list("/api/v1/nodes"));
console.log("holds", held.length);
setInterval(() => held.length, 60_000);
