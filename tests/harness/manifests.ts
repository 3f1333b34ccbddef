/** Manifests as people write them, and as kubectl takes them on standard input. */
import { stringifyJson } from "#api/meta/json.ts";

/** The well-known image, which is built in. */
const IMAGE = "us-docker.pkg.dev/agones-images/examples/simple-game-server:0.41";

export interface GameOptions {
  readonly image?: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly protocol?: "UDP" | "TCP" | "TCPUDP";
  readonly health?: object;
  /** Seconds that a process gets to end when it is told to; 30 by default. */
  readonly grace?: number;
  readonly counters?: object;
  readonly lists?: object;
  readonly eviction?: { readonly safe: "Always" | "OnUpgrade" | "Never" };
}

/** The `spec` of a game server with one port. */
export function gameSpec(options: GameOptions = {}): object {
  const { image = IMAGE, args, env, protocol = "UDP", health, grace, counters, lists, eviction } = options;
  return {
    ports: [{ name: "default", containerPort: 7654, protocol }],
    health,
    counters,
    lists,
    eviction,
    template: {
      spec: { terminationGracePeriodSeconds: grace, containers: [{ name: "game", image, args, env }] },
    },
  };
}

export function gameServer(name: string, options?: GameOptions): string {
  return stringifyJson({
    apiVersion: "agones.dev/v1",
    kind: "GameServer",
    metadata: { name },
    spec: gameSpec(options),
  });
}

export interface FleetOptions extends GameOptions {
  readonly replicas?: number;
  readonly labels?: Readonly<Record<string, string>>;
}

export function fleet(name: string, { replicas = 1, labels, ...game }: FleetOptions = {}): string {
  return stringifyJson({
    apiVersion: "agones.dev/v1",
    kind: "Fleet",
    metadata: { name },
    spec: { replicas, template: { metadata: { labels }, spec: gameSpec(game) } },
  });
}
