import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { applyAllocation } from "#api/allocation/apply.ts";
import type { GameServerAllocation, GameServerSelector } from "#api/allocation/gameserverallocation.ts";
import { selectorMatcher } from "#api/allocation/match.ts";
import { isConflict, isNotFound } from "#api/meta/status.ts";
import type { Client } from "#kube/client.ts";
import type { EventRecorder } from "#kube/event-recorder.ts";
import type { Informer } from "#kube/informer.ts";
import type { Clock } from "#runtime/clock.ts";
import type { NodeCounts } from "#views/node-counts.ts";
import { AllocationCache } from "./allocation-cache.ts";
import { type Matcher, select, type Wish } from "./select.ts";

/** What became of a request. Every request gets one of these, or `AllocationFailed`. */
export type AllocationResult =
  | { readonly state: "Allocated"; readonly gameServer: GameServer }
  /** No server matched. */
  | { readonly state: "UnAllocated" }
  /** Servers matched, but others took or changed them first, and none was left: trying again may succeed. */
  | { readonly state: "Contention" };

/** The API did not take the write, or its answer was lost. The server, if it was taken after all, shows it by its state. */
export class AllocationFailed extends Error {
  override readonly name = "AllocationFailed";
  readonly code = "AllocationFailed";
}

/** Which servers run, where the objects alone may be out of date. */
export interface Living {
  /** Resolves when it is known, or has to do without. */
  heard(): Promise<void>;
  isLiving(server: GameServer): boolean;
}

export interface EngineOptions {
  readonly client: Pick<Client, "get" | "update">;
  readonly gameServers: Informer<GameServer>;
  readonly nodeCounts: NodeCounts;
  readonly gates: FeatureGates;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  /** Servers that do not live are left out. Absent: all that the objects show live. */
  readonly living?: Living | undefined;
  readonly random?: () => number;
}

export interface AllocateOptions {
  /** Picks without taking. */
  readonly dryRun?: boolean;
  /** Aborts when the caller has gone: nothing is taken for it from then on. */
  readonly signal?: AbortSignal;
}

/** How long after a lost answer the API is asked again what became of the server. */
const RECHECK_MS = 1000;

/** Races lost before a request gives up; each took one server out of the way, so this many rivals were faster. */
const MOST_RACES = 50;

/**
 * Hands out game servers: picks from an index that is always in order, and commits by one guarded write.
 * A server that is being committed is out of the index, and the write names the version that was picked:
 * no server goes to two callers, in this process or another.
 */
export class AllocationEngine {
  readonly #options: EngineOptions;
  readonly #cache: AllocationCache;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#cache = new AllocationCache();
    options.gameServers.addHandler(this.#cache);
  }

  /**
   * `allocation` is defaulted, valid and converted to `selectors`. Waits until the servers are known, and for a server that
   * another request is just changing when that comes first. Rejects with `AllocationFailed` or the signal's reason.
   */
  async allocate(
    namespace: string,
    allocation: GameServerAllocation,
    { dryRun = false, signal }: AllocateOptions = {},
  ): Promise<AllocationResult> {
    const { gameServers, living } = this.#options;
    if (!gameServers.synced) await gameServers.ready();
    await living?.heard();
    const { gates, nodeCounts, random = Math.random, clock } = this.#options;
    const matcher = (selector: GameServerSelector): Matcher => {
      const matches = selectorMatcher(selector, gates);
      return living ? (server) => living.isLiving(server) && matches(server) : matches;
    };
    const spec = allocation.spec ?? {};
    const wish: Wish = {
      namespace,
      selectors: (spec.selectors ?? []).map((selector) => ({ selector, matches: matcher(selector) })),
      scheduling: spec.scheduling ?? "Packed",
      priorities: gates.CountsAndLists ? (spec.priorities ?? []) : [],
      byPlayers: gates.PlayerAllocationFilter,
    };
    for (let lost = 0; lost < MOST_RACES; ) {
      signal?.throwIfAborted();
      const { index } = this.#cache;
      const picked = select(wish, { index, pending: this.#cache.pending(namespace), nodes: nodeCounts.counts, random });
      if (!picked) return { state: lost === 0 ? "UnAllocated" : "Contention" };
      if (picked === "wait") {
        await this.#cache.nextRelease(namespace);
        continue;
      }
      const { gameServer, errors } = applyAllocation(picked, spec, clock.now(), gates);
      if (dryRun) return { state: "Allocated", gameServer };
      const committed = await this.#commit(picked, gameServer);
      if (committed) {
        this.#announce(committed, errors);
        return { state: "Allocated", gameServer: committed };
      }
      lost++;
    }
    return { state: "Contention" };
  }

  /** Undefined when somebody changed or removed the server first. */
  async #commit(picked: GameServer, wanted: GameServer): Promise<GameServer | undefined> {
    const { client, nodeCounts } = this.#options;
    this.#cache.claim(picked, wanted);
    nodeCounts.anticipate(wanted);
    let there: GameServer | undefined;
    try {
      there = await client.update(GAMESERVERS, wanted);
      return there;
    } catch (error) {
      // What it has become is known at once, so that who waits for this server finds it, or knows better than to wait.
      if (isConflict(error)) there = await this.#look(picked).catch(() => undefined);
      if (!there && !isNotFound(error)) this.#recheck(picked);
      if (isConflict(error) || isNotFound(error)) return undefined;
      throw new AllocationFailed("could not update the selected GameServer", { cause: error });
    } finally {
      this.#cache.release(picked, there);
      nodeCounts.anticipate(there ?? picked);
    }
  }

  async #look({ metadata }: GameServer): Promise<GameServer> {
    const { namespace = "", name = "" } = metadata;
    return this.#options.client.get(GAMESERVERS, namespace, name);
  }

  /** A server whose write was lost may have been taken, or may never change again: the API is asked until it says which. */
  #recheck(picked: GameServer): void {
    this.#options.clock.after(RECHECK_MS, () => {
      this.#look(picked).then(
        (there) => this.#cache.confirm(there),
        (error: unknown) => {
          if (!isNotFound(error)) this.#recheck(picked);
        },
      );
    });
  }

  #announce(
    gameServer: GameServer,
    errors: { readonly counters: readonly string[]; readonly lists: readonly string[] },
  ): void {
    const { recorder } = this.#options;
    recorder.event(gameServer, "Normal", "Allocated", "Allocated");
    if (errors.counters.length > 0)
      recorder.event(gameServer, "Warning", "CounterActionError", errors.counters.join("\n"));
    if (errors.lists.length > 0) recorder.event(gameServer, "Warning", "ListActionError", errors.lists.join("\n"));
  }
}
