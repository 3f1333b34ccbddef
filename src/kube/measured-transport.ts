import { StatusError } from "#api/meta/status.ts";
import type { Clock } from "#runtime/clock.ts";
import type { ClientMetrics } from "#runtime/metrics.ts";
import type { Transport, TransportRequest } from "./transport.ts";

/** The transport with every request counted and timed. Of watches and texts, the time until they are open. */
export function measuredTransport(transport: Transport, metrics: ClientMetrics, clock: Clock): Transport {
  const measure = async <T>(request: TransportRequest, call: (request: TransportRequest) => Promise<T>): Promise<T> => {
    const started = clock.monotonic();
    let code = 200;
    const answered: NonNullable<TransportRequest["answered"]> = (told, warnings) => {
      code = told;
      request.answered?.(told, warnings);
    };
    const report = (status: string) =>
      metrics.request(request.method, endpointOf(request.path), status, (clock.monotonic() - started) / 1000);
    try {
      const answer = await call({ ...request, answered });
      report(String(code));
      return answer;
    } catch (error) {
      report(error instanceof StatusError ? String(error.status.code) : "<error>");
      throw error;
    }
  };
  return {
    exchange: (request) => measure(request, (measured) => transport.exchange(measured)),
    watch: (request) => measure(request, (measured) => transport.watch(measured)),
    text: (request) => measure(request, (measured) => transport.text(measured)),
  };
}

/** The path with `{namespace}` and `{name}` in the place of names, so that there are as many endpoints as kinds. */
export function endpointOf(path: string): string {
  const segments = path.split("/");
  const scope = segments[1] === "apis" ? 4 : 3;
  const inNamespace = segments[scope] === "namespaces" && segments.length > scope + 2;
  if (inNamespace) segments[scope + 1] = "{namespace}";
  const name = scope + (inNamespace ? 3 : 1);
  if (segments[name]) segments[name] = "{name}";
  return segments.join("/");
}
