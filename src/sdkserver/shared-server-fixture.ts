/** A shared SDK server with real ports against the fake API, and the published client of its game, for tests. */
import AgonesSDKModule from "@google-cloud/agones-sdk";
import { onTestFinished } from "vitest";
import type { Pod } from "#api/core/pod.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { FakeEventRecorder } from "#kube/fake-event-recorder.ts";
import { type FakeClock, systemClock } from "#runtime/clock.ts";
import { type Logger, silentLogger } from "#runtime/logger.ts";
import { FakeGameServerApi } from "./fake-gameserver-api.ts";
import { createSdkServers, type SdkServer, type SdkServersOptions } from "./shared-server.ts";

// The types that the package publishes do not fit what it exports.
const AgonesSDK = AgonesSDKModule as unknown as typeof AgonesSDKModule.default;

export const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "simple",
    ownerReferences: [
      { apiVersion: "agones.dev/v1", kind: "GameServer", name: "simple", uid: "uid-1", controller: true },
    ],
  },
  spec: { containers: [] },
};

export const ENVIRONMENT = { GAMESERVER_NAME: "simple", POD_NAMESPACE: "default", REQUESTS_RATE_LIMIT: "5ms" };

/** Ends with the test. */
export async function serve(
  options: {
    environment?: Record<string, string>;
    saved?: JsonObject;
    api?: FakeGameServerApi;
    clock?: FakeClock;
    log?: Logger;
    save?: (state: JsonObject) => Promise<void>;
  } = {},
) {
  const { environment = {}, saved, api = new FakeGameServerApi(), clock, log = silentLogger } = options;
  const recorder = new FakeEventRecorder();
  const saves: JsonObject[] = [];
  const servers = createSdkServers({
    source: api,
    client: api as SdkServersOptions["client"],
    recorder,
    clock: clock ?? systemClock,
    log,
  });
  const server = await servers.start({
    pod,
    environment: { ...ENVIRONMENT, ...environment },
    args: ["--grpc-port=9357", "--http-port=9358"],
    saved,
    save: async (state) => {
      await options.save?.(state);
      saves.push(state);
    },
  });
  onTestFinished(async () => {
    const stopped = server.stop();
    await clock?.advance(1000);
    await stopped;
  });
  const url = `http://127.0.0.1:${server.environment.AGONES_SDK_HTTP_PORT}`;
  const post = async (path: string, body = "", method = "POST") => {
    const response = await fetch(`${url}${path}`, { method, ...(method !== "GET" && { body }) });
    return { status: response.status, text: await response.text() };
  };
  return { api, server, saves, url, post, recorder, state: () => api.stored?.status?.state };
}

export async function connect(server: SdkServer) {
  process.env.AGONES_SDK_GRPC_PORT = server.environment.AGONES_SDK_GRPC_PORT;
  const sdk = new AgonesSDK();
  onTestFinished(() => sdk.close());
  await sdk.connect();
  return sdk;
}
