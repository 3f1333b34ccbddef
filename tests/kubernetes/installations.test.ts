/** Installations of other gates and other limits than by default, on both servers, one after the other. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { encodeFeatureGates, featureGates } from "#api/agones/feature-gates.ts";
import type { CrdOptions } from "#api/definitions/crds.ts";
import packageJson from "../../package.json" with { type: "json" };
import { agree, type Both, type Scenario } from "./agreement/agree.ts";
import { ApiServer } from "./agreement/api-server.ts";
import { fleet, fleetAutoscaler, gameServer } from "./agreement/objects.ts";
import { isByDefault, promises } from "./agreement/promised.ts";
import { builtBinaries } from "./rig/build.ts";
import { startControlPlane } from "./rig/control-plane.ts";
import { startEmbedded } from "./rig/embedded.ts";
import { installExtensions } from "./rig/extensions.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "stadion-kubernetes-")));
const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
let kubernetes: ApiServer | undefined;

/** A control plane of this file's own: its definitions and webhooks change all the time. */
beforeAll(async () => {
  const binaries = builtBinaries();
  if (!binaries) throw new Error("the control plane is not built: run npm run test:kubernetes");
  const controlPlane = await startControlPlane(binaries, folder);
  ends.push(() => controlPlane.stop());
  const server = new ApiServer("Kubernetes", controlPlane.kubeconfig);
  ends.push(() => server.close());
  kubernetes = server;
});

afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Scenarios = Readonly<Record<string, Scenario>>;

function installation(name: string, options: CrdOptions, scenarios: Scenarios): void {
  describe(name, () => {
    const stops: (() => unknown)[] = [];
    let both: Both | undefined;
    const servers = (): Both => {
      if (!both) throw new Error("nothing is installed");
      return both;
    };
    beforeAll(async () => {
      if (!kubernetes) throw new Error("there is no control plane");
      const { program } = await installExtensions(kubernetes, folder, options);
      stops.push(() => program.stop());
      const embedded = await startEmbedded(folder, packageJson.version, options);
      const server = new ApiServer("embedded", embedded.kubeconfig);
      stops.push(
        () => embedded.stop(),
        () => server.close(),
      );
      both = [kubernetes, server];
    });
    afterAll(async () => {
      for (const stop of stops.reverse()) await stop();
    });
    for (const [title, scenario] of Object.entries(scenarios)) agree(title, scenario, servers);
  });
}

const withGates = Map.groupBy(
  promises.filter((promise) => !isByDefault(promise)),
  ({ gates }) => encodeFeatureGates(featureGates(gates)),
);
for (const rows of withGates.values()) {
  const [{ gates } = { gates: {} }] = rows;
  const name = Object.entries(gates).map(([gate, on]) => `${gate}=${on}`);
  installation(
    `with ${name.join("&")}`,
    { gates: featureGates(gates) },
    Object.fromEntries(rows.map(({ title, scenario }) => [title, scenario])),
  );
}

const schedule = { type: "Schedule", schedule: { policy: { type: "Buffer", buffer: { maxReplicas: 3 } } } };
const strange = {
  template: { strange: 1, spec: { strange: 2, containers: [{ name: "duel", image: "i", strange: 3 }] } },
};

installation(
  "with lists of at most 5 values, and unknown members of Pods kept",
  {
    listsMaxItems: 5,
    podPreserveUnknownFields: true,
  },
  {
    "a list gets the installation's capacity": (api) =>
      api.create(gameServer({ lists: { roster: {} } })).then(() => {}),
    "a capacity beyond the installation's": async (api) => {
      await api.create(gameServer({ lists: { roster: { capacity: 6 } } }));
    },
    "more values than the installation lets": async (api) => {
      await api.create(gameServer({ lists: { roster: { values: ["a", "b", "c", "d", "e", "f"] } } }));
    },
    "what Pods are not known to have": async (api) => {
      await api.create(gameServer(strange));
      await api.create(fleet({ template: { spec: strange } }));
      await api.create(gameServer({ ...strange, strange: 4 }, { name: "other" }));
    },
  },
);

installation(
  "with every gate the other way round",
  {
    gates: featureGates(Object.fromEntries(Object.entries(featureGates()).map(([gate, on]) => [gate, !on]))),
  },
  {
    "a server with all that gates let": async (api) => {
      await api.create(
        gameServer({
          players: { initialCapacity: 9007199254740993n },
          counters: { rounds: {} },
          lists: {},
          ports: [{ portPolicy: "None", containerPort: 7, range: "other" }],
        }),
      );
      await api.create(gameServer({ players: { initialCapacity: 9223372036854775807n } }));
    },
    "a schedule": async (api) => {
      await api.create(fleetAutoscaler(schedule));
      await api.create(fleetAutoscaler({ type: "Chain", chain: [{ id: "a", ...schedule }] }));
    },
    "a module": async (api) => {
      await api.create(
        fleetAutoscaler({ type: "Wasm", wasm: { from: { url: { url: "https://example.net/a.wasm" } } } }),
      );
      await api.create(fleetAutoscaler({ type: "Wasm", wasm: { from: {} } }));
    },
  },
);
