import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { Probe } from "#api/core/pod.ts";
import { FakeClock, systemClock } from "#runtime/clock.ts";
import type { LiveContainer } from "./container-runtime.ts";
import { attemptProbe, type ProbeTarget } from "./probe-attempt.ts";
import { startProbes } from "./probes.ts";
import { container } from "./testing/worker-harness.ts";

describe("the rhythm of probes", () => {
  const get = (more: Partial<Probe> = {}): Probe => ({ httpGet: { port: 1 }, ...more });

  /** Runs the probes of one container against results that are read from `results`, the last one repeating. */
  function probing(probes: Parameters<typeof container>[1], results: Record<string, boolean[]>) {
    const clock = new FakeClock();
    const heard: string[] = [];
    const kinds = new Map<Probe | undefined, string>([
      [probes?.startupProbe, "startup"],
      [probes?.livenessProbe, "liveness"],
      [probes?.readinessProbe, "readiness"],
    ]);
    const start = clock.now();
    const note = (text: string) => void heard.push(`${(clock.now() - start) / 1000}: ${text}`);
    const stop = startProbes({
      container: container("game", probes),
      startedAt: start,
      clock,
      attempt: async (probe) => {
        const list = results[kinds.get(probe) ?? ""] ?? [true];
        const ok = (list.length > 1 ? list.shift() : list[0]) ?? true;
        return { ok, message: "why" };
      },
      listener: {
        started: () => note("started"),
        ready: (ready) => note(`ready ${ready}`),
        failed: (kind) => note(`failed ${kind}`),
        unhealthy: (kind) => note(`unhealthy ${kind}`),
      },
    });
    return { clock, heard, stop };
  }

  test("waits the initial delay, then gives up after so many failures in a row", async () => {
    const livenessProbe = get({ initialDelaySeconds: 5, periodSeconds: 2, failureThreshold: 2 });
    const { clock, heard } = probing({ livenessProbe }, { liveness: [false, true, false, false] });
    await clock.advance(60_000);
    expect(heard).toEqual([
      "5: unhealthy Liveness",
      "9: unhealthy Liveness",
      "11: unhealthy Liveness",
      "11: failed Liveness",
    ]);
  });

  test("turns readiness on and off, and goes on", async () => {
    const readinessProbe = get({ periodSeconds: 1, failureThreshold: 2, successThreshold: 2 });
    const { clock, heard, stop } = probing({ readinessProbe }, { readiness: [true, true, false, false, true, true] });
    await clock.advance(5_000);
    stop();
    await clock.advance(5_000);
    expect(heard.filter((line) => line.includes("ready"))).toEqual([
      "1: ready true",
      "3: ready false",
      "5: ready true",
    ]);
  });

  test("holds the others back until the startup probe has succeeded", async () => {
    const probes = { startupProbe: get({ periodSeconds: 1 }), livenessProbe: get({ failureThreshold: 1 }) };
    const { clock, heard } = probing(probes, { startup: [false, false, true], liveness: [false] });
    await clock.advance(10_000);
    expect(heard.slice(2)).toEqual(["2: started", "2: unhealthy Liveness", "2: failed Liveness"]);
  });

  test("gives up a container that never starts", async () => {
    const { clock, heard } = probing({ startupProbe: get({ failureThreshold: 2 }) }, { startup: [false] });
    await clock.advance(60_000);
    expect(heard.at(-1)).toBe("10: failed Startup");
    expect(clock.pending).toBe(0);
  });
});

describe("one attempt", () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });
  async function serve(status: number | undefined): Promise<number> {
    const server = createServer((_request, response) => {
      if (status) response.writeHead(status, { location: "http://192.0.2.1/" }).end();
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  }
  const target = (more: Partial<ProbeTarget> = {}): ProbeTarget => ({
    container: container("game"),
    handlers: [],
    address: "127.0.0.1",
    clock: systemClock,
    ...more,
  });

  test.each([
    [200, true, ""],
    [302, true, ""],
    [404, false, "HTTP probe failed with statuscode: 404"],
    [500, false, "HTTP probe failed with statuscode: 500"],
  ])("takes status %i as %s", async (status, ok, message) => {
    const port = await serve(status);
    expect(await attemptProbe({ httpGet: { port } }, target())).toEqual({ ok, message });
  });

  test("finds a port by name and asks at the host port that stands for it", async () => {
    const hostPort = await serve(200);
    const own = container("game", { ports: [{ name: "http", containerPort: 80, hostPort }] });
    expect(await attemptProbe({ httpGet: { port: "http" } }, target({ container: own }))).toMatchObject({ ok: true });
    expect(await attemptProbe({ tcpSocket: { port: 80 } }, target({ container: own }))).toMatchObject({ ok: true });
    expect(await attemptProbe({ httpGet: { port: "none" } }, target({ container: own }))).toMatchObject({ ok: false });
  });

  test("fails when nobody listens, and when nobody answers in time", async () => {
    const clock = new FakeClock();
    const port = await serve(undefined);
    const silent = attemptProbe({ httpGet: { port }, timeoutSeconds: 3 }, target({ clock }));
    await clock.advance(3_000);
    expect(await silent).toEqual({ ok: false, message: "no answer within 3 s" });
    servers.splice(0).map((server) => server.close().closeAllConnections());
    expect(await attemptProbe({ tcpSocket: { port } }, target())).toMatchObject({ ok: false });
  });

  test("asks the handler whose port it is, and the process for paths the handler does not know", async () => {
    const live: LiveContainer = {
      id: "sdk",
      ended: new Promise(() => {}),
      stop: () => {},
      kill: () => {},
      probe: async (_port, path) => ({ status: path === "/gshealthz" ? 500 : 404, body: "" }),
    };
    const port = await serve(200);
    const sdk = container("sdk", { livenessProbe: { httpGet: { path: "/healthz", port } } });
    const probe = (path: string) =>
      attemptProbe({ httpGet: { path, port } }, target({ handlers: [{ container: sdk, live }] }));
    expect(await probe("/gshealthz")).toMatchObject({ ok: false });
    expect(await probe("/own")).toMatchObject({ ok: true });
  });
});
