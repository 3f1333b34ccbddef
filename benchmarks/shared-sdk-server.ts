/**
 * The SDK server of a machine as its node agent wires it, without the rest of the agent: one watch on all GameServers, one client, one
 * recorder. The kubeconfig is its argument. Told `{ serve: NAMES }` by its parent it serves those, and says on which ports.
 */
import { GAMESERVERS } from "#api/agones/resources.ts";
import { createClient } from "#kube/api-client.ts";
import { createEventRecorder } from "#kube/event-recorder.ts";
import { kubeconfigAccess } from "#kube/kubeconfig.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { httpsTransport } from "#kube/transport-https.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { createLogger } from "#runtime/logger.ts";
import { runGroups } from "#runtime/runnable.ts";
import { informerSource, trimGameServer } from "#sdkserver/game-server-source.ts";
import { createSdkServers } from "#sdkserver/shared-server.ts";
import { answerMeasurements, type ServeRequest } from "./measured-process.ts";

const log = createLogger({ source: "node-agent", level: "info" });
const client = createClient(httpsTransport(await kubeconfigAccess(process.argv[2] ?? "", { clock })));
const gameServers = createInformer(client, GAMESERVERS, { clock, log, transform: trimGameServer });
const recorder = createEventRecorder(client, { component: "gameserver-sidecar", clock, log });
const portRange = { first: 0, last: 0 };
const servers = createSdkServers({ source: informerSource(gameServers), client, recorder, clock, log, portRange });
void runGroups([[gameServers, recorder]], new AbortController().signal, log);
await gameServers.ready();

async function serve(name: string): Promise<number> {
  const { uid = "" } = gameServers.lister.get(`default/${name}`)?.metadata ?? {};
  const owner = { apiVersion: "agones.dev/v1", kind: "GameServer", name, uid, controller: true };
  const { environment } = await servers.start({
    pod: { apiVersion: "v1", kind: "Pod", metadata: { name, ownerReferences: [owner] }, spec: { containers: [] } },
    environment: { GAMESERVER_NAME: name, POD_NAMESPACE: "default", REQUESTS_RATE_LIMIT: "500ms" },
    args: [],
    saved: undefined,
    save: async () => {},
  });
  return Number(environment.AGONES_SDK_GRPC_PORT);
}

answerMeasurements(async ({ serve: names }: ServeRequest) => {
  const ports: number[] = [];
  for (const name of names) ports.push(await serve(name));
  return ports;
});
