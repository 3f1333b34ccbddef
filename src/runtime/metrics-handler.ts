import type { RequestListener } from "node:http";
import type { Registry } from "prom-client";

/** Answers `GET /metrics` in the text format of Prometheus, with values as they are at that moment; 404 for any other path. */
export function metricsHandler(registry: Registry): RequestListener {
  return (request, response) => {
    const [path] = (request.url ?? "/").split("?", 1);
    if (path !== "/metrics") {
      response.writeHead(404).end();
    } else if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD" }).end();
    } else {
      registry.metrics().then(
        (text) => response.writeHead(200, { "content-type": registry.contentType }).end(text),
        (error: unknown) => response.writeHead(500, { "content-type": "text/plain; charset=utf-8" }).end(`${error}\n`),
      );
    }
  };
}
