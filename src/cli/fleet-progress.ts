import { FLEET_LABEL } from "#api/agones/constants.ts";
import type { Fleet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { isDevelopment } from "#api/agones/predicates.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import type { Event } from "#api/core/event.ts";
import { EVENTS } from "#api/core/resources.ts";
import type { KubeObject } from "#api/meta/object.ts";
import { byName } from "#api/meta/object-order.ts";
import type { Client } from "#kube/client.ts";
import type { Clock } from "#runtime/clock.ts";
import { CliError } from "./errors.ts";
import { Outage } from "./outage.ts";
import type { Terminal } from "./output.ts";

/** After this long it looks again, whether or not it heard of a change of the fleet. */
const LOOK_MS = 500;
/** So long nothing is told while no more and no fewer are Ready. */
const TELL_MS = 3_000;
/** After this long, and then each time, warnings about the servers are looked for. */
const WARNINGS_MS = 2_000;
/** After this long the progress says where to look. */
const SLOW_MS = 15_000;
/** A game that runs so long without a word to its SDK server may not know that it has to speak. */
const SILENT_MS = 5_000;
/** The state of a server whose process runs and has not called Ready. */
const SILENT = "Scheduled";
const MUST_SPEAK = [
  "  A game server counts once it has called Ready of the Agones SDK, and then calls Health every few seconds. Its SDK server is at the ports",
  "  AGONES_SDK_GRPC_PORT and AGONES_SDK_HTTP_PORT of its environment; the README says more under “What a game has to do”.",
].join("\n");

export interface WaitOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly fleet: string;
  /** Which servers are of the version that is waited for; all by default. Of others only those count that somebody plays on. */
  readonly isCurrent?: (server: GameServer) => boolean;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds; then `CliError` `TimedOut`. */
  readonly timeoutMs: number;
}

/**
 * Waits until all servers of a fleet are Ready, and no more than are wanted, telling how far it is whenever that changes, and what warns of
 * trouble. Returns them by name.
 */
export async function waitForFleet(options: WaitOptions): Promise<readonly GameServer[]> {
  const { client, namespace, fleet, terminal, clock, signal, timeoutMs } = options;
  const started = clock.monotonic();
  const warned = new Set<string>();
  let told = { line: "", count: "", at: 0 };
  let nextLook = WARNINGS_MS;
  let [helped, reminded] = [false, false];
  const look = () =>
    Promise.all([
      client.get(FLEETS, namespace, fleet),
      client.list(GAMESERVERS, { namespace, labelSelector: `${FLEET_LABEL}=${fleet}`, signal }),
    ]);
  const outage = new Outage(options);
  const about = new Subjects(options);
  using changes = new FleetChanges(options);
  for (;;) {
    const changed = changes.next();
    let seen: Awaited<ReturnType<typeof look>>;
    try {
      seen = await look();
      outage.over();
    } catch (error) {
      if (clock.monotonic() - started >= timeoutMs) throw error;
      await outage.ride(error);
      signal.throwIfAborted();
      continue;
    }
    const [{ spec }, { items }] = seen;
    about.see(items);
    const wanted = spec.replicas ?? 0;
    // A server that a developer runs by hand may have the fleet's label, and is none of its own.
    const living = items.filter((server) => !server.metadata.deletionTimestamp && !isDevelopment(server));
    const ready = living.filter((server) => isReady(server, options.isCurrent));
    const surplus = surplusOf(ready, wanted);
    const waited = clock.monotonic() - started;
    const done = ready.length >= wanted && surplus === 0;
    const line = progressLine(fleet, living, ready, wanted);
    // What comes before Ready is told only now and then.
    const count = `${ready.length} ${surplus} ${wanted}`;
    if (line !== told.line && (done || count !== told.count || waited - told.at >= TELL_MS)) {
      terminal.err(line);
      told = { line, count, at: waited };
    }
    if (done) return ready.toSorted(byName);

    if (waited >= Math.min(nextLook, timeoutMs)) {
      nextLook = waited + WARNINGS_MS;
      // Where the cluster does not answer, the next look tells.
      for (const warning of await about.warnings().catch(() => [])) {
        // "made in 2 s" and "made in 4 s" are one warning.
        const kind = warning.replace(/\d+/g, "0");
        if (!warned.has(kind)) terminal.err(`  Warning: ${warning.replaceAll("\n", "\n    ")}`);
        warned.add(kind);
      }
    }
    const isSilent = living.some(({ status }) => status?.state === SILENT);
    if (isSilent && !reminded && waited >= Math.min(SILENT_MS, timeoutMs)) {
      reminded = true;
      terminal.err(MUST_SPEAK);
    }
    if (waited >= timeoutMs)
      throw new CliError(
        "TimedOut",
        `fleet ${fleet} has ${Math.min(ready.length, wanted)} of ${wanted} servers Ready${surplus > 0 ? `, and ${surplus} too many,` : ""} after ${Math.round(waited / 1000)} s`,
      );
    if (waited > SLOW_MS && !helped) {
      helped = true;
      terminal.err(`  This takes long. Look at: npx stadion get events -n ${namespace}   and: npx stadion logs NAME`);
    }
    await changed;
    signal.throwIfAborted();
  }
}

/** Tells of the changes of a fleet by which its servers are other ones, or in other states. */
class FleetChanges implements Disposable {
  readonly #options: WaitOptions;
  readonly #end = new AbortController();
  #change = Promise.withResolvers<void>();
  #counts: string | undefined;

  constructor(options: WaitOptions) {
    this.#options = options;
    // Without a watch it is looked at now and then.
    this.#watchOn(AbortSignal.any([options.signal, this.#end.signal])).catch(() => {});
  }

  /** Resolves at the next change from now on, and after `LOOK_MS` at the latest; when the wait is ended, at once. */
  async next(): Promise<void> {
    this.#change = Promise.withResolvers();
    const { clock, signal } = this.#options;
    const over = AbortSignal.any([signal, this.#end.signal]);
    await Promise.race([this.#change.promise, clock.sleep(LOOK_MS, over).catch(() => {})]);
  }

  /** Opens the watch again whenever it ends. Rejects when the signal aborts. */
  async #watchOn(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.#watch(signal).catch(() => {});
      await this.#options.clock.sleep(LOOK_MS, signal);
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { client, namespace, fleet } = this.#options;
    const events = await client.watch(FLEETS, { namespace, fieldSelector: `metadata.name=${fleet}`, signal });
    for await (const batch of events) {
      for (const { object } of batch) {
        const counts = countsOf(object);
        if (counts !== this.#counts) this.#change.resolve();
        this.#counts = counts;
      }
    }
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }
}

/** What is told of a fleet depends on these. */
function countsOf({ spec, status }: Fleet): string {
  const { replicas, readyReplicas, reservedReplicas, allocatedReplicas } = status ?? {};
  return [spec.replicas, replicas, readyReplicas, reservedReplicas, allocatedReplicas].join(" ");
}

const BUSY = new Set<string | undefined>(["Allocated", "Reserved"]);

function isReady(server: GameServer, isCurrent: WaitOptions["isCurrent"]): boolean {
  return isBusy(server) || (server.status?.state === "Ready" && isCurrent?.(server) !== false);
}

const isBusy = ({ status }: GameServer): boolean => BUSY.has(status?.state);

/** How many servers the fleet is still going to take away: those that somebody plays on are not among them. */
function surplusOf(ready: readonly GameServer[], wanted: number): number {
  const busy = ready.filter(isBusy).length;
  return Math.max(0, ready.length - Math.max(wanted, busy));
}

function progressLine(
  fleet: string,
  living: readonly GameServer[],
  ready: readonly GameServer[],
  wanted: number,
): string {
  const others = new Map<string, number>();
  for (const server of living) {
    if (ready.includes(server)) continue;
    const { state = "new" } = server.status ?? {};
    const shown = state === "Ready" ? "of the version before" : state;
    others.set(shown, (others.get(shown) ?? 0) + 1);
  }
  const surplus = surplusOf(ready, wanted);
  const inUse = ready.length - surplus - wanted;
  if (surplus > 0) others.set("to be removed", surplus);
  if (inUse > 0) others.set("more in use", inUse);
  const rest = [...others].map(([state, count]) => `${count} ${state}`).join(", ");
  return `Fleet ${fleet}: ${Math.min(ready.length, wanted)} of ${wanted} game servers Ready${rest ? ` (${rest})` : ""}`;
}

/** What warnings may speak of: the fleet, its sets and servers that are there, and servers that were made since the wait began. */
class Subjects {
  readonly #options: WaitOptions;
  /** Seconds since 1970. Events have whole ones, and what was done may have been done a moment ago. */
  readonly #since: number;
  /** Those that are there, and those that were made since. */
  #servers: ReadonlySet<string> = new Set();
  readonly #made = new Set<string>();

  constructor(options: WaitOptions) {
    this.#options = options;
    this.#since = Math.floor(options.clock.now() / 1000) - 1;
  }

  see(servers: readonly GameServer[]): void {
    this.#servers = new Set(servers.map(nameOf));
    for (const server of servers) if (this.#isSince(server.metadata.creationTimestamp)) this.#made.add(nameOf(server));
  }

  /** Their texts since the wait began: each once, and none of which another says more. */
  async warnings(): Promise<readonly string[]> {
    const { client, namespace, fleet, signal } = this.#options;
    const [events, sets] = await Promise.all([
      client.list<Event>(EVENTS, { namespace, fieldSelector: "type=Warning", signal }),
      client.list(GAMESERVERSETS, { namespace, labelSelector: `${FLEET_LABEL}=${fleet}`, signal }),
    ]);
    // A pod has its server's name.
    const subjects = new Set([fleet, ...sets.items.map(nameOf), ...this.#servers, ...this.#made]);
    const told = events.items.filter(
      (event) => subjects.has(event.involvedObject.name ?? "") && timesOf(event).some((time) => this.#isSince(time)),
    );
    const texts = [...new Set(told.flatMap(({ message }) => (message ? [message] : [])))];
    return texts.filter((text) => {
      const core = text.replace(/^Issue with Gameserver pod: /, "");
      return !texts.some((other) => other !== text && other.includes(core));
    });
  }

  #isSince(time: string | null | undefined): boolean {
    return typeof time === "string" && Math.floor(Date.parse(time) / 1000) >= this.#since;
  }
}

const timesOf = ({ lastTimestamp, eventTime, series, metadata }: Event) => [
  lastTimestamp,
  eventTime,
  series?.lastObservedTime,
  metadata.creationTimestamp,
];

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? "";
