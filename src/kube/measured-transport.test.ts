import { expect, test } from "vitest";
import { notFound } from "#api/meta/status.ts";
import { FakeClock } from "#runtime/clock.ts";
import { endpointOf, measuredTransport } from "./measured-transport.ts";
import { TransportError, type TransportRequest } from "./transport.ts";

test.each([
  ["/apis/agones.dev/v1/gameservers", "/apis/agones.dev/v1/gameservers"],
  ["/apis/agones.dev/v1/namespaces/ns/gameservers", "/apis/agones.dev/v1/namespaces/{namespace}/gameservers"],
  [
    "/apis/agones.dev/v1/namespaces/ns/fleets/f/scale",
    "/apis/agones.dev/v1/namespaces/{namespace}/fleets/{name}/scale",
  ],
  ["/api/v1/nodes/n1/status", "/api/v1/nodes/{name}/status"],
  ["/api/v1/namespaces/ns", "/api/v1/namespaces/{name}"],
  ["/api/v1/namespaces/ns/pods/p", "/api/v1/namespaces/{namespace}/pods/{name}"],
])("%s is the endpoint %s", (path, endpoint) => {
  expect(endpointOf(path)).toBe(endpoint);
});

test("reports verb, endpoint, status and seconds of every outcome", async () => {
  const clock = new FakeClock();
  const outcomes = [notFound("", "pods", "p"), new TransportError("down")];
  const codes = [200, 201];
  const told: unknown[] = [];
  const exchange = async ({ answered }: TransportRequest) => {
    await clock.sleep(500);
    const outcome = outcomes.shift();
    if (outcome) throw outcome;
    answered?.(codes.shift() ?? 200, []);
    return {};
  };
  const never = () => Promise.reject(new Error("not asked for"));
  const metrics = { request: (...all: unknown[]) => void told.push(all) };
  const transport = measuredTransport({ exchange, watch: never, text: never }, metrics, clock);
  for (const code of ["404", "<error>", "200", "201"]) {
    const done = transport.exchange({ method: "GET", path: "/api/v1/pods" }).catch(() => {});
    await clock.advance(500);
    await done;
    expect(told.shift()).toEqual(["GET", "/api/v1/pods", code, 0.5]);
  }
});
