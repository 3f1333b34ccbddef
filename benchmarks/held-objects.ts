/** Holds the objects of a cluster that a controller keeps, and nothing else: the yardstick of its memory. The kubeconfig is its argument. */
import { readFileSync } from "node:fs";
import { Agent, get } from "node:https";
import { text } from "node:stream/consumers";
import type { Pod } from "#api/core/pod.ts";
import { trimPod } from "#controllers/informers.ts";

const kubeconfig = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const { server, "certificate-authority-data": authority } = kubeconfig.clusters[0].cluster;
const agent = new Agent({ ca: Buffer.from(authority, "base64") });
const headers = { authorization: `Bearer ${kubeconfig.users[0].user.token}` };

const read = (
  path: string,
): Promise<{ readonly items: readonly Pod[]; readonly metadata: { readonly continue?: string } }> =>
  new Promise((resolve, reject) => {
    get(new URL(path, server), { agent, headers }, async (response) => {
      resolve(JSON.parse(await text(response)));
    }).on("error", reject);
  });

/** Page by page, so that little is thrown away. */
async function list(path: string, keep = (object: Pod): object => object): Promise<readonly object[]> {
  const held: object[] = [];
  for (let next: string | undefined = ""; next !== undefined; ) {
    const { items, metadata } = await read(`${path}?limit=200&continue=${encodeURIComponent(next)}`);
    held.push(...items.map(keep));
    next = metadata.continue || undefined;
  }
  return held;
}

const held: (readonly object[])[] = [];
for (const plural of ["gameservers", "gameserversets", "fleets"])
  held.push(await list(`/apis/agones.dev/v1/${plural}`));
held.push(await list("/api/v1/pods", trimPod), await list("/api/v1/nodes"));
globalThis.gc?.();
console.log("holds", held.length);
setInterval(() => held.length, 60_000);
