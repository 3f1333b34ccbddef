/** GameServers as anybody may write them within the schema's types: odd names, missing parts, nulls, wild quantities. */
import fc from "fast-check";
import type { Container } from "../core/pod.ts";
import type { GameServer, GameServerSpec } from "./gameserver.ts";

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const name = fc.oneof(fc.constantFrom("duel", "tail", "", "query"), fc.string({ maxLength: 70 }));
const int64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
const port = optional(fc.integer({ min: 0, max: 65535 }));
const quantity = fc.oneof(fc.constantFrom("1", "1000m", "-1", "64Mi", "nonsense", ""), fc.string({ maxLength: 6 }));
const quantities = optional(fc.dictionary(fc.constantFrom("cpu", "memory"), quantity));
const stringMap = optional(fc.dictionary(name, fc.string({ maxLength: 70 })));

const container: fc.Arbitrary<Container> = fc.record({
  name,
  restartPolicy: fc.constantFrom(undefined, "Always" as const),
  resources: optional(fc.record({ limits: quantities, requests: quantities })),
});

const spec: fc.Arbitrary<GameServerSpec> = fc.record({
  container: optional(name),
  ports: fc.oneof(
    fc.constantFrom(undefined, null),
    fc.array(
      fc.record({
        name: optional(name),
        range: optional(name),
        portPolicy: fc.constantFrom(
          undefined,
          "Dynamic" as const,
          "Static" as const,
          "Passthrough" as const,
          "None" as const,
        ),
        container: optional(name),
        containerPort: port,
        hostPort: port,
        protocol: fc.constantFrom(undefined, "UDP" as const, "TCP" as const, "TCPUDP" as const),
      }),
      { maxLength: 4 },
    ),
  ),
  health: optional(fc.record({ disabled: optional(fc.boolean()), periodSeconds: optional(fc.integer()) })),
  scheduling: fc.constantFrom(undefined, "Packed" as const, "Distributed" as const),
  players: fc.option(fc.record({ initialCapacity: optional(int64) })),
  counters: fc.option(fc.dictionary(name, fc.record({ count: optional(int64), capacity: optional(int64) }))),
  lists: fc.option(
    fc.dictionary(name, fc.record({ capacity: optional(int64), values: optional(fc.array(fc.string())) })),
  ),
  template: fc.record({
    metadata: optional(fc.record({ labels: stringMap, annotations: stringMap })),
    spec: fc.record({
      containers: fc.array(container, { maxLength: 3 }),
      initContainers: optional(fc.array(container, { maxLength: 2 })),
    }),
  }),
});

export const gameServerArbitrary: fc.Arbitrary<GameServer> = fc.record({
  apiVersion: fc.constant("agones.dev/v1"),
  kind: fc.constant("GameServer"),
  metadata: fc.record({ name, labels: stringMap, annotations: stringMap }),
  spec,
});
