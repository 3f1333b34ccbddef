import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { KubeObject } from "#api/meta/object.ts";
import type { Clock } from "#runtime/clock.ts";
import { applyManifest } from "../apply.ts";
import { apiSocket, type Connection } from "../connection.ts";
import { waitForFleet } from "../fleet-progress.ts";
import { readManifests } from "../manifests.ts";
import { Resources } from "../resources.ts";
import type { Session } from "../session.ts";

export const QUICK_START_FLEET = "simple-game-server";
const TIMEOUT_MS = 120_000;
const LOOK_MS = 10;

interface Prepared {
  readonly objects: readonly KubeObject[];
  readonly connection: Connection;
  readonly resources: Resources;
}

/**
 * The fleet of a new cluster, for a first look. Begins while the control plane starts, with what may be done before it serves: the
 * manifest is read, and the API's socket, once it is there, asked what kinds there will be. It answers when it serves.
 */
export class QuickStart implements AsyncDisposable {
  readonly #session: Session;
  readonly #clock: Clock;
  readonly #end = new AbortController();
  readonly #prepared: Promise<Prepared>;

  constructor(session: Session, manifest: string, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
    this.#prepared = this.#prepare(manifest);
    this.#prepared.catch(() => {});
  }

  /** Makes the fleet and resolves when it is Ready. Call once the control plane serves. */
  async make(): Promise<void> {
    const { objects, connection, resources } = await this.#prepared;
    for (const object of objects)
      await applyManifest(connection.transport, object, "default", resources, { probablyNew: true });
    await waitForFleet({
      client: connection.client,
      namespace: "default",
      fleet: QUICK_START_FLEET,
      terminal: this.#session.terminal,
      clock: this.#clock,
      signal: this.#session.interrupted,
      timeoutMs: TIMEOUT_MS,
    });
  }

  async #prepare(manifest: string): Promise<Prepared> {
    const objects = await readManifests(manifest);
    const socket = apiSocket(resolve(this.#session.dataDir));
    while (!existsSync(socket)) await this.#clock.sleep(LOOK_MS, this.#end.signal);
    const connection = this.#session.connect();
    const resources = new Resources(connection.transport);
    // What fails is asked again when it is needed.
    await Promise.allSettled(objects.map((object) => resources.of(object)));
    return { objects, connection, resources };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#prepared.then(
      ({ connection }) => connection.close(),
      () => {},
    );
  }
}
