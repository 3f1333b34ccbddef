/** A bench for the controller of autoscalers. */
import { onTestFinished } from "vitest";
import type { Fleet } from "#api/agones/fleet.ts";
import { FLEETS } from "#api/agones/resources.ts";
import type { FleetAutoscaler, FleetAutoscalerSpec } from "#api/autoscaling/fleetautoscaler.ts";
import { FLEETAUTOSCALERS } from "#api/autoscaling/resources.ts";
import type { FleetAutoscaleReview } from "#api/autoscaling/review.ts";
import { NAMESPACES } from "#api/core/resources.ts";
import { createFleetAutoscalerController } from "#controllers/fleetautoscaler/controller.ts";
import type { Reviewer } from "#controllers/fleetautoscaler/reviewer.ts";
import { createControllerInformers } from "#controllers/informers.ts";
import type { Client } from "#kube/client.ts";
import { FakeEventRecorder } from "#kube/fake-event-recorder.ts";
import { type FaultPlan, withFaults } from "#kube/fault-injection.ts";
import { createInformer } from "#kube/shared-informer.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import { runGroups } from "#runtime/runnable.ts";
import { gates, openTestApi } from "./embedded-api.ts";

export type Answer = (review: FleetAutoscaleReview, signal: AbortSignal) => Promise<number>;

/** What webhooks were opened, asked and closed, by URL. */
class Webhooks {
  readonly calls: string[] = [];
  answers: Readonly<Record<string, Answer>> = {};

  open = (url: string): Reviewer => {
    this.calls.push(`open ${url}`);
    return {
      review: async (review, signal) => {
        this.calls.push(`ask ${url}`);
        const replicas = await this.answers[url]?.(review, signal);
        if (replicas === undefined) throw new Error(`${url} is silent`);
        return { uid: "", scale: true, replicas };
      },
      close: () => void this.calls.push(`close ${url}`),
    };
  };

  count = (call: string): number => this.calls.filter((each) => each === call).length;
}

export const never: Answer = (_, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

/** The controller on a real API server, under a clock that stands still. */
export class Bench {
  readonly clock = new FakeClock();
  readonly recorder = new FakeEventRecorder();
  readonly webhooks = new Webhooks();
  readonly writes: string[] = [];
  fault: FaultPlan = () => undefined;
  client!: Client;

  async start(workers = 1): Promise<this> {
    const { clock } = this;
    const api = await openTestApi({ clock, random: () => 0.5 });
    this.client = api.client;
    const plan: FaultPlan = (call) => {
      if (call.verb !== "watch" && call.verb !== "list")
        this.writes.push(`${call.verb} ${call.name ?? call.resource.split("/").at(-2)}`);
      return this.fault(call);
    };
    const client = withFaults(api.client, plan);
    const cache = { clock, log: silentLogger, random: () => 0.5, freeze: true };
    const informers = createControllerInformers(client, cache);
    const autoscalers = createInformer(client, FLEETAUTOSCALERS, cache);
    const controller = createFleetAutoscalerController({
      client,
      informers,
      autoscalers,
      nodeCounts: { counts: new Map() },
      gates,
      reviewers: { webhook: ({ url = "" }) => this.webhooks.open(url), wasm: () => this.webhooks.open("wasm") },
      recorder: this.recorder,
      clock,
      log: silentLogger,
      workers,
    });
    const abort = new AbortController();
    const running = runGroups([[...Object.values(informers), autoscalers], [controller]], abort.signal, silentLogger);
    onTestFinished(async () => {
      abort.abort();
      await running;
      await api.close();
    });
    await this.pass(100);
    return this;
  }

  /** In steps: the API answers in turns of the event loop. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 100) await this.clock.advance(Math.min(100, left));
  }

  async namespace(name: string): Promise<void> {
    await this.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }

  fleet(name: string, replicas: number, namespace = "default"): Promise<Fleet> {
    const template = { spec: { template: { spec: { containers: [{ name: "game", image: "game:1" }] } } } };
    return this.client.create(FLEETS, {
      apiVersion: "agones.dev/v1",
      kind: "Fleet",
      metadata: { name, namespace },
      spec: { replicas, template },
    });
  }

  async allocated(name: string, allocatedReplicas: number): Promise<void> {
    const fleet = await this.client.get(FLEETS, "default", name);
    await this.client.updateStatus(FLEETS, { ...fleet, status: { ...fleet.status, allocatedReplicas } });
  }

  autoscaler(
    name: string,
    policy: FleetAutoscalerSpec["policy"],
    { fleet = "arena", seconds = 10, namespace = "default" } = {},
  ) {
    return this.client.create(FLEETAUTOSCALERS, {
      apiVersion: "autoscaling.agones.dev/v1",
      kind: "FleetAutoscaler",
      metadata: { name, namespace },
      spec: { fleetName: fleet, policy, sync: { type: "FixedInterval", fixedInterval: { seconds } } },
    });
  }

  async change(name: string, policy: FleetAutoscalerSpec["policy"], seconds = 10): Promise<void> {
    const autoscaler = await this.client.get(FLEETAUTOSCALERS, "default", name);
    const sync = { type: "FixedInterval", fixedInterval: { seconds } } as const;
    await this.client.update(FLEETAUTOSCALERS, { ...autoscaler, spec: { ...autoscaler.spec, policy, sync } });
  }

  async sizeOf(name: string, namespace = "default"): Promise<number | undefined> {
    return (await this.client.get(FLEETS, namespace, name)).spec.replicas;
  }

  async shown(name: string): Promise<FleetAutoscaler["status"] & { readonly reasons: readonly string[] }> {
    const { status } = await this.client.get(FLEETAUTOSCALERS, "default", name);
    return { ...status, reasons: (status?.conditions ?? []).map(({ reason }) => reason) };
  }

  get events(): readonly string[] {
    return this.recorder.events.map(({ key, type, reason }) => `${key} ${type} ${reason}`);
  }
}
