import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { Fleet, GameServerSet } from "#api/agones/fleet.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import type { FleetAutoscaler } from "#api/autoscaling/fleetautoscaler.ts";
import type { Node } from "#api/core/node.ts";
import type { Informer } from "#kube/informer.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Runnable } from "#runtime/runnable.ts";
import { decideSets } from "../fleet/decide-sets.ts";
import { BY_OWNER } from "../informers.ts";
import { bufferLimitSamples, bufferSizeSamples, statusSamples } from "./autoscaler-samples.ts";
import { aggregateSamples, replicaSamples, rolloutSamples } from "./fleet-samples.ts";
import { fleetOf, GameServerCounts, nodeSamples, playerSamples, serversPerNode } from "./game-server-samples.ts";
import type { Sample } from "./sample.ts";
import { StateDurations } from "./state-durations.ts";

/** Load this module on first use only: the library behind it takes a tenth of a second. */

export interface StateMetricsSources {
  readonly gameServers: Informer<GameServer>;
  readonly gameServerSets: Informer<GameServerSet>;
  readonly fleets: Informer<Fleet>;
  readonly autoscalers: Informer<FleetAutoscaler>;
  readonly nodes: Informer<Node>;
  readonly gates: FeatureGates;
  readonly clock: Clock;
}

/** How often the nodes are looked at for the histogram of servers on a node. */
const NODE_SAMPLE_MS = 15_000;

/** Bounds in seconds: 1, 2, 4 … 16384. */
const STATE_SECONDS = Array.from({ length: 15 }, (_, power) => 2 ** power);
/** A server more or less falls into another bucket, and an empty node into its own. */
const SERVERS_ON_NODE = [
  0.00001,
  ...[...Array.from({ length: 16 }, (_, at) => at + 1), 32, 40, 50, 60, 70, 80, 90, 100, 110, 120].map(
    (n) => n + 0.00001,
  ),
];

/**
 * The state of game servers, fleets, autoscalers and nodes under Agones' names. Gauges are read from the caches when they are scraped;
 * what is counted is counted as it happens, and by the one controller that leads. The Runnable takes the samples of nodes.
 */
export function stateMetrics(registry: Registry, sources: StateMetricsSources): Runnable {
  const { gameServers } = sources;
  for (const { name, help, labelNames, read } of gauges(sources)) {
    new Gauge({
      name: `agones_${name}`,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, value } of read()) this.set({ ...labels }, value);
      },
    });
  }
  countTransitions(registry, gameServers, sources.clock);
  return nodeSampler(registry, sources);
}

interface GaugeReading {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly read: () => readonly Sample[];
}

function gauges(sources: StateMetricsSources): readonly GaugeReading[] {
  const fleets = () => sources.fleets.lister.list();
  const servers = () => sources.gameServers.lister.list();
  const autoscalers = () => sources.autoscalers.lister.list();
  const counts = new GameServerCounts();
  const activeSetOf = (fleet: Fleet) => {
    const sets = sources.gameServerSets.lister.byIndex(BY_OWNER, fleet.metadata.uid ?? "");
    return decideSets(fleet, sets, sources.gates.RollingUpdateFix).active;
  };
  const ofServers = ["fleet_name", "name", "namespace"];
  const ofFleets = ["name", "namespace", "type"];
  const ofAutoscalers = ["name", "fleet_name", "namespace"];
  return [
    {
      name: "gameservers_count",
      help: "Game servers by state",
      labelNames: ["type", "fleet_name", "namespace"],
      read: () => counts.read(servers()),
    },
    ...(sources.gates.PlayerTracking
      ? [
          {
            name: "gameserver_player_connected_total",
            help: "Players that are connected to a game server",
            labelNames: ofServers,
            read: () => playerSamples(servers(), "connected"),
          },
          {
            name: "gameserver_player_capacity_total",
            help: "Players that a game server could still take",
            labelNames: ofServers,
            read: () => playerSamples(servers(), "free"),
          },
        ]
      : []),
    {
      name: "fleets_replicas_count",
      help: "Game servers of a fleet: in total, allocated, ready, reserved, and as many as are desired",
      labelNames: ofFleets,
      read: () => replicaSamples(fleets()),
    },
    {
      name: "fleet_rollout_percent",
      help: "Game servers with the fleet's present template, and as many as are desired",
      labelNames: ofFleets,
      read: () => rolloutSamples(fleets(), activeSetOf),
    },
    ...(["counter", "list"] as const).map((kind) => ({
      name: `fleet_${kind}s`,
      help: `Sums of a ${kind} over a fleet: count and capacity, of all and of allocated game servers`,
      labelNames: [...ofFleets, kind],
      read: () => aggregateSamples(fleets(), kind),
    })),
    {
      name: "fleet_autoscalers_current_replicas_count",
      help: "Game servers that an autoscaler found",
      labelNames: ofAutoscalers,
      read: () => statusSamples(autoscalers(), "currentReplicas"),
    },
    {
      name: "fleet_autoscalers_desired_replicas_count",
      help: "Game servers that an autoscaler wants",
      labelNames: ofAutoscalers,
      read: () => statusSamples(autoscalers(), "desiredReplicas"),
    },
    {
      name: "fleet_autoscalers_able_to_scale",
      help: "Whether an autoscaler's policy could be asked",
      labelNames: ofAutoscalers,
      read: () => statusSamples(autoscalers(), "ableToScale"),
    },
    {
      name: "fleet_autoscalers_limited",
      help: "Whether an autoscaler's policy wants more, or less, than its limits allow",
      labelNames: ofAutoscalers,
      read: () => statusSamples(autoscalers(), "scalingLimited"),
    },
    {
      name: "fleet_autoscalers_buffer_limits",
      help: "The limits of an autoscaler's buffer",
      labelNames: [...ofAutoscalers, "type"],
      read: () => bufferLimitSamples(autoscalers()),
    },
    {
      name: "fleet_autoscalers_buffer_size",
      help: "The size of an autoscaler's buffer, a count or a percentage",
      labelNames: [...ofAutoscalers, "type"],
      read: () => bufferSizeSamples(autoscalers()),
    },
    {
      name: "nodes_count",
      help: "Nodes without game servers and with them",
      labelNames: ["empty"],
      read: () => nodeSamples(serversPerNode(sources.nodes.lister.list(), servers())),
    },
  ];
}

/** Counts transitions between states, and how long the state that ended had lasted. */
function countTransitions(registry: Registry, gameServers: Informer<GameServer>, clock: Clock): void {
  const labelNames = ["type", "fleet_name", "namespace"] as const;
  const transitions = new Counter({
    name: "agones_gameservers_total",
    help: "Game servers that came into a state",
    labelNames,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: "agones_gameserver_state_duration",
    help: "Seconds that game servers were in the state that they left",
    labelNames,
    buckets: STATE_SECONDS,
    registers: [registry],
  });
  const durations = new StateDurations();
  const labelsOf = (server: GameServer) => ({
    type: server.status?.state ?? "",
    fleet_name: fleetOf(server),
    namespace: server.metadata.namespace ?? "",
  });
  gameServers.addHandler({
    update: (server, old) => {
      if (server.status?.state === old.status?.state) return;
      transitions.inc(labelsOf(server));
      const lasted = durations.left(old, server, clock.now());
      if (lasted !== undefined) seconds.observe(labelsOf(old), lasted);
    },
    delete: (server) => durations.forget(server),
  });
}

/** Observes from time to time how many servers each node has. */
function nodeSampler(registry: Registry, { nodes, gameServers, clock }: StateMetricsSources): Runnable {
  const perNode = new Histogram({
    name: "agones_gameservers_node_count",
    help: "Game servers on a node, one sample a node every 15 seconds",
    buckets: SERVERS_ON_NODE,
    registers: [registry],
  });
  return {
    name: "state metrics",
    run: async (signal) => {
      while (!signal.aborted) {
        for (const count of serversPerNode(nodes.lister.list(), gameServers.lister.list()).values())
          perNode.observe(count);
        await clock.sleep(NODE_SAMPLE_MS, signal).catch(() => {});
      }
    },
  };
}
