import type { Lease } from "#api/core/lease.ts";
import { LEASES } from "#api/core/resources.ts";
import { isAlreadyExists, isConflict, isNotFound } from "#api/meta/status.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Logger } from "#runtime/logger.ts";
import type { Runnable } from "#runtime/runnable.ts";
import type { Client } from "./client.ts";

export interface LeaderElectionOptions {
  /** The Lease that all candidates compete for. */
  readonly namespace: string;
  readonly name: string;
  /** Different for every start of every candidate, such as a random UUID. */
  readonly identity: string;
  /** For how long others leave a leader alone that they do not hear of. Whole seconds; default 15 s. */
  readonly leaseMs?: number;
  /** For how long a leader goes on without a renewal. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Between two attempts. Default 2 s. */
  readonly retryMs?: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** From 0 to 1; spreads the attempts of candidates. Default `Math.random`. */
  readonly random?: () => number;
}

/** The lease could not be renewed in time or is another's: whoever led must stop, and may apply anew after a restart. */
export class LeadershipLost extends Error {
  override readonly name = "LeadershipLost";
  readonly code = "LeadershipLost";
}

/** By how much of itself the time between two attempts at a foreign lease may grow. */
const JITTER = 1.2;

/**
 * Leads by a Lease as Kubernetes' own components do (client-go `leaderelection`). `ready` resolves once it leads; `run` rejects with
 * `LeadershipLost` when it no longer does, and gives the lease back when it is told to stop.
 *
 * Clocks of candidates may differ, but must run at about the same rate: each measures by its own how long a lease has not changed.
 * It does not promise that there is never more than one leader, only that one who cannot renew stops before others begin,
 * provided that stopping takes less than the lease outlives the deadline.
 */
export function createLeaderElector(
  client: Pick<Client, "get" | "create" | "update">,
  options: LeaderElectionOptions,
): Runnable {
  const { leaseMs = 15_000, renewDeadlineMs = 10_000, retryMs = 2000 } = options;
  if (leaseMs <= renewDeadlineMs) throw new RangeError("the lease must outlive the renew deadline");
  if (renewDeadlineMs <= retryMs * JITTER) throw new RangeError("the renew deadline must leave room for a retry");
  return new LeaderElector(client, { random: Math.random, ...options, leaseMs, renewDeadlineMs, retryMs });
}

type Attempt = "held" | "foreign" | "failed";

class LeaderElector implements Runnable {
  readonly name: string;
  readonly #client: Pick<Client, "get" | "create" | "update">;
  readonly #options: Required<LeaderElectionOptions>;
  readonly #leads = Promise.withResolvers<void>();
  /** The lease as last seen, and when it was first seen so. */
  #seen: { readonly lease: Lease; readonly at: number } | undefined;

  constructor(client: Pick<Client, "get" | "create" | "update">, options: Required<LeaderElectionOptions>) {
    this.name = `leader election ${options.namespace}/${options.name}`;
    this.#client = client;
    this.#options = options;
  }

  ready(): Promise<void> {
    return this.#leads.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, retryMs, random, identity } = this.#options;
    let began = clock.monotonic();
    while (!signal.aborted && (await this.#attempt()) !== "held") {
      await clock.sleep(retryMs * (1 + JITTER * random()), signal).catch(() => {});
      began = clock.monotonic();
    }
    if (this.#seen?.lease.spec?.holderIdentity !== identity) return;
    log.info({ lease: this.#options.name, identity }, "became leader");
    this.#leads.resolve();
    await this.#hold(began, signal);
    await this.#release();
  }

  /** Renews until told to stop. `renewed`: when the last successful attempt began. */
  async #hold(renewed: number, signal: AbortSignal): Promise<void> {
    const { clock, retryMs, renewDeadlineMs } = this.#options;
    let last = renewed;
    for (;;) {
      await clock.sleep(retryMs, signal).catch(() => {});
      if (signal.aborted) return;
      const began = clock.monotonic();
      const attempt = await this.#attemptUntil(last + renewDeadlineMs);
      if (attempt === "held") last = began;
      else if (attempt === "foreign") throw new LeadershipLost("the lease is held by another");
      else if (clock.monotonic() >= last + renewDeadlineMs) throw new LeadershipLost("the lease could not be renewed");
    }
  }

  async #attemptUntil(deadline: number): Promise<Attempt> {
    const { clock } = this.#options;
    const answered = new AbortController();
    const late = clock.sleep(Math.max(0, deadline - clock.monotonic()), answered.signal).then(
      (): Attempt => "failed",
      (): Attempt => "failed",
    );
    const attempt = this.#attempt();
    const outcome = await Promise.race([attempt, late]);
    answered.abort();
    return outcome;
  }

  /** Takes or renews the lease if that is allowed. */
  async #attempt(): Promise<Attempt> {
    const { namespace, name, identity, log } = this.#options;
    try {
      const found = await this.#client.get(LEASES, namespace, name).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      if (!found) {
        this.#observe(await this.#client.create(LEASES, this.#claim(undefined)));
        return "held";
      }
      this.#observe(found);
      if (found.spec?.holderIdentity !== identity && this.#isAlive()) return "foreign";
      this.#observe(await this.#client.update(LEASES, this.#claim(found)));
      return "held";
    } catch (error) {
      const lost = isConflict(error) || isAlreadyExists(error);
      log[lost ? "debug" : "warn"]({ error, lease: name }, "attempt at the lease failed");
      return "failed";
    }
  }

  #observe(lease: Lease): void {
    const { resourceVersion } = lease.metadata;
    if (this.#seen && this.#seen.lease.metadata.resourceVersion === resourceVersion) return;
    this.#seen = { lease, at: this.#options.clock.monotonic() };
  }

  /** Whether the lease last seen still binds: it names a holder, and changed within its own duration. */
  #isAlive(): boolean {
    const { spec } = this.#seen?.lease ?? {};
    if (!this.#seen || !spec?.holderIdentity) return false;
    return this.#seen.at + (spec.leaseDurationSeconds ?? 0) * 1000 > this.#options.clock.monotonic();
  }

  #claim(lease: Lease | undefined): Lease {
    const { namespace, name, identity, leaseMs, clock } = this.#options;
    const now = microTime(clock.now());
    const renews = lease?.spec?.holderIdentity === identity;
    const transitions = lease?.spec?.leaseTransitions ?? 0;
    return {
      ...(lease ?? { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { namespace, name } }),
      spec: {
        ...lease?.spec,
        holderIdentity: identity,
        leaseDurationSeconds: leaseMs / 1000,
        acquireTime: renews ? lease?.spec?.acquireTime : now,
        renewTime: now,
        leaseTransitions: lease && !renews ? transitions + 1 : transitions,
      },
    };
  }

  /** Leaves the lease without a holder, so that the next leader need not wait. */
  async #release(): Promise<void> {
    const { clock, log } = this.#options;
    const lease = this.#seen?.lease;
    if (!lease) return;
    const now = microTime(clock.now());
    const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
    await this.#client.update(LEASES, { ...lease, spec }).catch((error: unknown) => {
      log.warn({ error, lease: lease.metadata.name }, "lease was not released");
    });
  }
}

/** RFC 3339 with microseconds, as `metav1.MicroTime` prints it. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
