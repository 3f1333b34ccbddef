/**
 * A webhook for FleetAutoscalers: keeps a share of the servers free, and never fewer than two.
 *
 *     npx node examples/autoscaler-webhook/server.ts 8000
 *     kubectl apply -f examples/autoscaler-webhook/fleetautoscaler.yaml
 */
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

/** Of all servers. A label `free` of the fleet that is a number, such as `free: "40"`, goes before it. */
const FREE_PERCENT = 25;
const LEAST_FREE = 2;

interface Review {
  readonly request: {
    readonly uid: string;
    readonly name: string;
    readonly status: { readonly allocatedReplicas: number };
    readonly labels?: Readonly<Record<string, string>>;
  };
}

const server = createServer(async (request, response) => {
  if (request.method !== "POST") return void response.writeHead(405).end();
  try {
    const { request: asked } = (await json(request)) as Review;
    const { allocatedReplicas } = asked.status;
    const free = asked.labels?.free ?? "";
    const percent = /^\d+(\.\d+)?$/.test(free) ? Math.min(99, Number(free)) : FREE_PERCENT;
    const replicas = Math.max(allocatedReplicas + LEAST_FREE, Math.ceil((allocatedReplicas * 100) / (100 - percent)));
    console.log(`${asked.name}: ${allocatedReplicas} allocated, ${replicas} wanted`);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ response: { uid: asked.uid, scale: true, replicas } }));
  } catch (error) {
    response.writeHead(400).end(String(error));
  }
});

server.listen(Number(process.argv[2] ?? 8000), "127.0.0.1", () => {
  const address = server.address();
  if (address && typeof address === "object") console.log(`listening on http://127.0.0.1:${address.port}`);
});
