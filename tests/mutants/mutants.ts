/** Faults that have been made in systems like this one, each as one change of the source, and the tests that must find it. */

export interface Mutant {
  /** What the fault does. */
  readonly name: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly text: string;
  readonly replacement: string;
  /** The fewest test files that can find it. */
  readonly tests: readonly string[];
}

const STEP = "src/controllers/gameserver/decide-step.ts";
const RECONCILER = "src/controllers/gameserver/reconciler.ts";
const LIFE = "src/controllers/gameserver/life.test.ts";
const ACCIDENTS = "src/controllers/gameserver/accidents.test.ts";
const WORLD = "src/controllers/world.test.ts";
const SET_STALE = "src/controllers/gameserverset/stale-caches.test.ts";
const FLEET_STALE = "src/controllers/fleet/stale-caches.test.ts";

export const MUTANTS: readonly Mutant[] = [
  {
    name: "a server is gone before its Pod",
    file: STEP,
    text: "if (pod && !isDevelopment(gameServer))",
    replacement: "if (pod && isDevelopment(gameServer))",
    tests: ["src/controllers/gameserver/decide-step.test.ts"],
  },
  {
    name: "a server is gone before a Pod that its cache does not show yet",
    file: RECONCILER,
    text: "const pod = await livePod(this.#options.client, key);",
    replacement: "const pod = this.#options.informers.pods.lister.get(key);",
    tests: [WORLD],
  },
  {
    name: "the Pod of an earlier server of the name counts",
    file: "src/controllers/gameserver/decide-pod-health.ts",
    text: "pod && isGameServerPod(pod) && isControlledBy(pod, gameServer) ? pod : undefined",
    replacement: "pod && isGameServerPod(pod) ? pod : undefined",
    tests: ["src/controllers/gameserver/decide-pod-health.test.ts"],
  },
  {
    name: "a match ends as soon as somebody deletes its Pod",
    file: "src/controllers/gameserver/decide-health.ts",
    text: "pod.metadata.deletionTimestamp !== undefined && isDeletable(gameServer)",
    replacement: "pod.metadata.deletionTimestamp !== undefined",
    tests: [ACCIDENTS],
  },
  {
    name: "a crash before Ready is held against the server",
    file: "src/controllers/gameserver/decide-health.ts",
    text: "if (isBeforeReady(gameServer)) return undefined;",
    replacement: "",
    tests: [ACCIDENTS],
  },
  {
    name: "a Pod that somebody else has made is taken for the server's own",
    file: RECONCILER,
    text: "if (!isControlledBy(pod, gameServer)) throw",
    replacement: "if (pod === undefined) throw",
    tests: [LIFE],
  },
  {
    name: "the controller acts on a list that its own write has made stale",
    file: "src/controllers/own-writes.ts",
    text: "return written && isNewerVersion(written, cached) ? written : cached;",
    replacement: "return cached;",
    tests: [WORLD],
  },
  {
    name: "what was written to a set is forgotten when the cache shows it as it was before",
    file: "src/controllers/own-writes.ts",
    text: "if (isCached || this.#written.has(uid))",
    replacement: "if (isCached)",
    tests: ["src/controllers/own-writes.test.ts"],
  },
  {
    name: "a fleet counts with what the cache showed before it waited for an answer",
    file: "src/controllers/fleet/controller.ts",
    text: 'const cached = (): readonly GameServerSet[] => lister.byIndex(BY_OWNER, fleet.metadata.uid ?? "");',
    replacement: 'const shown = lister.byIndex(BY_OWNER, fleet.metadata.uid ?? "");\n    const cached = () => shown;',
    tests: [FLEET_STALE],
  },
  {
    name: "a missing Pod is believed to be missing without asking",
    file: "src/controllers/gameserver/pod-followers.ts",
    text: "if (asksBeforeAbsence)",
    replacement: "if (!asksBeforeAbsence)",
    tests: [WORLD],
  },
  {
    name: "new servers keep those that go waiting",
    file: "src/controllers/gameserver/controller.ts",
    text: "isBeingDeleted(server) ? deletion : isNew",
    replacement: "isBeingDeleted(server) ? creation : isNew",
    tests: [LIFE],
  },
  {
    name: "a port is not returned",
    file: "src/ports/port-allocator.ts",
    text: "for (const [number, pool] of this.#held.get(uid) ?? []) pool.put(number);",
    replacement: "",
    tests: ["src/ports/port-allocator.test.ts"],
  },
  {
    name: "a new leader does not know which ports are taken",
    file: "src/ports/port-allocator.ts",
    text: "if (!held.has(number)) pool.hold(number);",
    replacement: "if (held.has(number)) pool.hold(number);",
    tests: ["src/ports/port-allocator.test.ts"],
  },
  {
    name: "each attempt at a write takes another port",
    file: "src/ports/port-allocator.ts",
    text: "own.take(count)",
    replacement: "own.take(0)",
    tests: ["src/ports/port-allocator.test.ts"],
  },
  {
    name: "a server that moves is counted on both nodes",
    file: "src/views/node-counts.ts",
    text: "if (before) this.#charge(before, -1);",
    replacement: "",
    tests: ["src/views/node-counts.test.ts"],
  },
  {
    name: "servers that are going count as Ready",
    file: "src/controllers/gameserverset/decide-status.ts",
    text: "servers.filter((server) => !isBeingDeleted(server))",
    replacement: "servers.filter((server) => server !== undefined)",
    tests: ["src/controllers/gameserverset/decide-status.test.ts"],
  },
  {
    name: "creations in flight are forgotten",
    file: "src/controllers/gameserverset/in-flight.ts",
    text: "const all = [...shown, ...unseen];",
    replacement: "const all = [...shown];",
    tests: ["src/controllers/gameserverset/in-flight.test.ts"],
  },
  {
    name: "a scale-down takes servers in a match",
    file: "src/controllers/gameserverset/decide-scale.ts",
    text: "if (!isDeletable(server)) up++;",
    replacement: "if (server.status?.state === 'Reserved') up++;",
    tests: ["src/controllers/gameserverset/decide-scale.test.ts"],
  },
  {
    name: "a set has more servers on their way than it may",
    file: "src/controllers/gameserverset/decide-scale.ts",
    text: "limits.maxPending - pending",
    replacement: "limits.maxPending",
    tests: ["src/controllers/gameserverset/decide-scale.test.ts"],
  },
  {
    name: "a fleet asks for a negative number once old versions are all in use",
    file: "src/controllers/fleet/decide-rollout.ts",
    text: "Math.max(0, desired - sum(rest, ({ busy }) => busy))",
    replacement: "desired - sum(rest, ({ busy }) => busy)",
    tests: ["src/controllers/fleet/decide-rollout.test.ts", WORLD],
  },
  {
    name: "an update takes all Ready servers at once",
    file: "src/controllers/fleet/decide-shrink.ts",
    text: " - leastReady(fleet, rest, now, fix);",
    replacement: ";",
    tests: ["src/controllers/fleet/decide-rollout.test.ts"],
  },
  {
    name: "the surge of a small fleet is rounded to nothing",
    file: "src/controllers/fleet/decide-shrink.ts",
    text: "spec.replicas ?? 0, true);",
    replacement: "spec.replicas ?? 0, false);",
    tests: ["src/controllers/fleet/decide-rollout.test.ts"],
  },
  {
    name: "templates that mean the same are not the same",
    file: "src/controllers/fleet/decide-sets.ts",
    text: "semanticEqual(fleet.spec.template, set.spec.template)",
    replacement: "JSON.stringify(fleet.spec.template) === JSON.stringify(set.spec.template)",
    tests: ["src/controllers/fleet/decide-sets.test.ts", WORLD],
  },
  {
    name: "servers that never were Ready go last",
    file: "src/api/agones/deletion-order.ts",
    text: "Number(isBeforeReady(b)) - Number(isBeforeReady(a))",
    replacement: "Number(isBeforeReady(a)) - Number(isBeforeReady(b))",
    tests: ["src/api/agones/deletion-order.test.ts"],
  },
  {
    name: "one server is offered to two callers",
    file: "src/allocation/engine/allocation-cache.ts",
    text: "    this.index.remove(entry.server);\n    entry.claimed = wanted;",
    replacement: "    entry.claimed = undefined;",
    tests: ["src/allocation/engine/engine.test.ts"],
  },
  {
    name: "a server whose commit failed is never offered again",
    file: "src/allocation/engine/allocation-cache.ts",
    text: "this.#unclaim(entry);\n    if (isListed(entry)) this.index.add(entry.server);",
    replacement: "this.#unclaim(entry);",
    tests: ["src/allocation/engine/engine.test.ts"],
  },
  {
    name: "a counter goes beyond its capacity",
    file: "src/api/agones/counters-and-lists.ts",
    text: "count > capacity ? capacity : count",
    replacement: "count",
    tests: ["src/api/agones/counters-and-lists.test.ts"],
  },
  {
    name: "the end of a reservation ends the match that began in it",
    file: "src/sdkserver/decide-write.ts",
    text: "return onlyFrom === undefined || onlyFrom === stored;",
    replacement: "return true;",
    tests: ["src/sdkserver/game-server-session.test.ts"],
  },
  {
    name: "a game that asked for a state before an allocation takes the match away",
    file: "src/sdkserver/decide-write.ts",
    text: "(lastAllocated(gameServer) ?? 0) > at",
    replacement: "(lastAllocated(gameServer) ?? 0) < at",
    tests: ["src/sdkserver/change-writer.prop.test.ts", "src/sdkserver/game-server-session.test.ts"],
  },
  {
    name: "a game that ends before it calls Ready, with exit code 0, is made again without pause",
    file: "src/controllers/gameserverset/start-failures.ts",
    text: "const succeeded = saidReady && (hasEnded(server) || isOld());",
    replacement: "const succeeded = hasEnded(server) || (saidReady && isOld());",
    tests: ["src/controllers/gameserverset/start-failures.test.ts"],
  },
  {
    name: "being Ready proves a build that crashes right after it",
    file: "src/controllers/gameserverset/start-failures.ts",
    text: "if (!this.#afterReady) this.#succeeded();",
    replacement: "this.#succeeded();",
    tests: ["src/controllers/gameserverset/start-failures.test.ts"],
  },
  {
    name: "a match that began after the cache's last word goes with the servers that are too many",
    file: "src/controllers/gameserverset/server-requests.ts",
    text: 'await client.update(GAMESERVERS, { ...server, status: { ...server.status, state: "Shutdown" } });',
    replacement: `const there = await client.get(GAMESERVERS, server.metadata.namespace ?? "", server.metadata.name ?? "");
      await client.update(GAMESERVERS, { ...there, status: { ...there.status, state: "Shutdown" } });`,
    tests: [SET_STALE],
  },
  {
    name: "a creation that was given up is asked for under another name",
    file: "src/controllers/gameserverset/server-requests.ts",
    text: "if (!there && !this.inFlight.isAnswered(name)) this.#unused.push(name);",
    replacement: "",
    tests: [SET_STALE],
  },
  {
    name: "a server whose creation was not answered is said to be there",
    file: "src/controllers/gameserverset/controller.ts",
    text: "serversNow().filter(({ metadata }) => metadata.uid !== undefined)",
    replacement: "serversNow()",
    tests: [SET_STALE],
  },
  {
    name: "a new version takes the whole fleet's number beside a set that the cache does not show",
    file: "src/controllers/fleet/controller.ts",
    text: "if (items.some(isUnknown)) throw",
    replacement: "if (items.length < 0) throw",
    tests: [FLEET_STALE],
  },
  {
    name: "a set goes with a server that the cache does not show",
    file: "src/controllers/fleet/controller.ts",
    text: "if (items.some((server) => isControlledBy(server, set))) return false;",
    replacement: "",
    tests: [FLEET_STALE],
  },
  {
    name: "an update goes on from numbers that a set has not come to yet",
    file: "src/controllers/fleet/decide-rollout.ts",
    text: "observed < metadata.generation",
    replacement: "observed > metadata.generation",
    tests: ["src/controllers/fleet/decide-rollout.test.ts"],
  },
  {
    name: "two queues work on one server at once",
    file: RECONCILER,
    text: "while (this.#passes.has(key)) await this.#passes.get(key);",
    replacement: "",
    tests: ["src/controllers/gameserver/races.test.ts"],
  },
  {
    name: "an extensions Pod that is to go keeps its callers until it cuts them off",
    file: "src/runtime/http/api-door.ts",
    text: " || door.draining?.aborted",
    replacement: "",
    tests: ["src/extensions/https-server.test.ts"],
  },
];
