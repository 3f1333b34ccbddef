import { expect, test } from "vitest";
import type { Lease } from "#api/core/lease.ts";
import { alreadyExists, conflict, notFound, staleVersion } from "#api/meta/status.ts";
import { FakeClock } from "#runtime/clock.ts";
import { silentLogger } from "#runtime/logger.ts";
import type { Client } from "./client.ts";
import { createLeaderElector, LeadershipLost } from "./leader-election.ts";
import { TransportError } from "./transport.ts";

/** One Lease as an API server keeps it; `down` makes calls fail, or never answer. */
class LeaseServer {
  lease: Lease | undefined;
  down: "fails" | "hangs" | undefined;
  #version = 0;

  readonly client = {
    get: async () => {
      await this.#reach();
      if (!this.lease) throw notFound("coordination.k8s.io", "leases", "lock");
      return this.lease;
    },
    create: async (_type: unknown, lease: Lease) => {
      await this.#reach();
      if (this.lease) throw alreadyExists("coordination.k8s.io", "leases", "lock");
      return this.#store(lease);
    },
    update: async (_type: unknown, lease: Lease) => {
      await this.#reach();
      if (this.lease?.metadata.resourceVersion !== lease.metadata.resourceVersion)
        throw conflict("coordination.k8s.io", "leases", "lock", staleVersion);
      return this.#store(lease);
    },
  } as unknown as Client;

  async #reach(): Promise<void> {
    if (this.down === "hangs") await new Promise(() => {});
    if (this.down === "fails") throw new TransportError("down");
  }

  #store(lease: Lease): Lease {
    this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++this.#version) } };
    return this.lease;
  }
}

function candidate(server: LeaseServer, clock: FakeClock, identity: string) {
  const elector = createLeaderElector(server.client, {
    namespace: "agones-system",
    name: "agones-controller-lock",
    identity,
    clock,
    log: silentLogger,
    random: () => 0,
  });
  const abort = new AbortController();
  const state = { leads: false, outcome: undefined as unknown };
  elector.ready?.().then(() => {
    state.leads = true;
  });
  const running = elector.run(abort.signal).then(
    () => {
      state.outcome = "stopped";
    },
    (error: unknown) => {
      state.outcome = error;
    },
  );
  return { state, abort, running };
}

test("the first candidate leads at once and writes the lease as Kubernetes does", async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const one = candidate(server, clock, "one");
  await clock.advance(0);
  expect(one.state.leads).toBe(true);
  expect(server.lease).toMatchObject({
    metadata: { namespace: "agones-system", name: "agones-controller-lock" },
    spec: {
      holderIdentity: "one",
      leaseDurationSeconds: 15,
      acquireTime: "2030-01-01T00:00:00.000000Z",
      renewTime: "2030-01-01T00:00:00.000000Z",
      leaseTransitions: 0,
    },
  });
  await clock.advance(4000);
  expect(server.lease?.spec).toMatchObject({
    acquireTime: "2030-01-01T00:00:00.000000Z",
    renewTime: "2030-01-01T00:00:04.000000Z",
    leaseTransitions: 0,
  });
});

test("a second candidate waits as long as the first renews", async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const one = candidate(server, clock, "one");
  await clock.advance(0);
  const two = candidate(server, clock, "two");
  await clock.advance(120_000);
  expect([one.state.leads, two.state.leads]).toEqual([true, false]);
});

test("a leader that stops gives the lease back, and the next one takes it without waiting it out", async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const one = candidate(server, clock, "one");
  await clock.advance(0);
  const two = candidate(server, clock, "two");
  await clock.advance(0);
  one.abort.abort();
  await one.running;
  expect(one.state.outcome).toBe("stopped");
  expect(server.lease?.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
  await clock.advance(2000);
  expect(two.state.leads).toBe(true);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: "two", leaseTransitions: 1 });
});

test("a dead leader's lease is taken after its duration, however wrong its clock was", async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const spec = { holderIdentity: "dead", leaseDurationSeconds: 15, renewTime: "2099-01-01T00:00:00.000000Z" };
  await server.client.create({} as never, { apiVersion: "v1", kind: "Lease", metadata: {}, spec } as never);
  const two = candidate(server, clock, "two");
  await clock.advance(14_000);
  expect(two.state.leads).toBe(false);
  await clock.advance(2000);
  expect(two.state.leads).toBe(true);
  expect(server.lease?.spec?.leaseTransitions).toBe(1);
});

test.each(["fails", "hangs"] as const)(
  "a leader whose renewal %s gives up 10 s after the last one, before others begin",
  async (down) => {
    const [server, clock] = [new LeaseServer(), new FakeClock()];
    const one = candidate(server, clock, "one");
    await clock.advance(2000);
    server.down = down;
    await clock.advance(9999);
    expect(one.state.outcome).toBeUndefined();
    await clock.advance(1);
    expect(one.state.outcome).toBeInstanceOf(LeadershipLost);
    server.down = undefined;
    const two = candidate(server, clock, "two");
    await clock.advance(2000);
    expect(two.state.leads).toBe(false);
  },
);

test("a failure shorter than the deadline changes nothing", async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const one = candidate(server, clock, "one");
  await clock.advance(0);
  server.down = "fails";
  await clock.advance(9000);
  server.down = undefined;
  await clock.advance(60_000);
  expect(one.state.outcome).toBeUndefined();
});

test("a leader that finds another's name on the lease stops at once", async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const one = candidate(server, clock, "one");
  await clock.advance(0);
  const lease = server.lease as Lease;
  await server.client.update({} as never, { ...lease, spec: { ...lease.spec, holderIdentity: "two" } } as never);
  await clock.advance(2000);
  expect(one.state.outcome).toBeInstanceOf(LeadershipLost);
});

test("a candidate told to stop ends without leading, and leaves no timer", async () => {
  const [server, clock] = [new LeaseServer(), new FakeClock()];
  const one = candidate(server, clock, "one");
  await clock.advance(0);
  const two = candidate(server, clock, "two");
  await clock.advance(0);
  two.abort.abort();
  await two.running;
  expect(two.state).toEqual({ leads: false, outcome: "stopped" });
  expect(server.lease?.spec?.holderIdentity).toBe("one");
  one.abort.abort();
  await one.running;
  expect(clock.pending).toBe(0);
});

test.each([
  ["a lease no longer than the renew deadline", { leaseMs: 10_000, renewDeadlineMs: 10_000 }],
  ["a renew deadline without room for a retry", { renewDeadlineMs: 2400, retryMs: 2000 }],
])("refuses %s", (_name, times) => {
  const rest = { namespace: "ns", name: "lock", identity: "one", clock: new FakeClock(), log: silentLogger };
  expect(() => createLeaderElector(new LeaseServer().client, { ...rest, ...times })).toThrow(RangeError);
});
