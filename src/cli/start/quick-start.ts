import { isAlreadyExists, isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import type { Transport } from "#kube/transport.ts";
import type { Clock } from "#runtime/clock.ts";
import { applyManifest } from "../apply.ts";
import { waitForFleet } from "../fleet-progress.ts";
import { readManifests } from "../manifests.ts";
import type { Terminal } from "../output.ts";
import { Resources } from "../resources.ts";
import { QUICK_START_FLEET } from "./example-fleet.ts";

const NAMESPACE = "default";
const TIMEOUT_MS = 120_000;

export interface QuickStartOptions {
  /** The file that holds the fleet. */
  readonly manifest: string;
  readonly transport: Transport;
  readonly client: Client;
  /** Called once the fleet is there. */
  readonly made: () => void;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Makes the fleet of a new cluster, for a first look, and resolves when it is Ready, or somebody has deleted it. One that is there already
 * is left as it is. Rejects with `CliError` when it takes too long.
 */
export async function quickStart(options: QuickStartOptions): Promise<void> {
  const { manifest, transport, made } = options;
  const resources = new Resources(transport);
  for (const object of await readManifests(manifest))
    await applyManifest(transport, object, NAMESPACE, resources, { onlyNew: true }).catch(unless(isAlreadyExists));
  made();
  const waiting = waitForFleet({ ...options, namespace: NAMESPACE, fleet: QUICK_START_FLEET, timeoutMs: TIMEOUT_MS });
  await waiting.catch(unless(isNotFound));
}

/** Passes all errors on but those that `is` knows. */
const unless =
  (is: (error: unknown) => boolean) =>
  (error: unknown): void => {
    if (!is(error)) throw error;
  };
