import type { RequestListener, ServerResponse } from "node:http";

/** Fulfilled: fine. Throwing or rejecting: failing, with the error's message. */
type HealthCheck = () => void | Promise<void>;

/** What asks whether a program lives and whether it is ready. Checks are added while it is wired and run at every question. */
export interface HealthChecks {
  addLiveness(name: string, check: HealthCheck): void;
  addReadiness(name: string, check: HealthCheck): void;
  /** Results by name, `undefined` for a check that is fine; those of readiness include liveness. */
  liveness(): Promise<CheckResults>;
  readiness(): Promise<CheckResults>;
}

type CheckResults = ReadonlyMap<string, string | undefined>;

export function createHealthChecks(): HealthChecks {
  const live = new Map<string, HealthCheck>();
  const ready = new Map<string, HealthCheck>();
  return {
    addLiveness: (name, check) => void live.set(name, check),
    addReadiness: (name, check) => void ready.set(name, check),
    liveness: () => results(live),
    readiness: () => results(new Map([...live, ...ready])),
  };
}

async function results(checks: ReadonlyMap<string, HealthCheck>): Promise<CheckResults> {
  const entries = [...checks].map(async ([name, check]): Promise<[string, string | undefined]> => {
    try {
      await check();
      return [name, undefined];
    } catch (error) {
      return [name, error instanceof Error ? error.message : String(error)];
    }
  });
  return new Map(await Promise.all(entries));
}

/**
 * Answers `/live` and `/ready`, GET only: 200 when all checks are fine, else 503. The body is `{}`, with `?full=1` every check with
 * `OK` or its error. Any other path is handed to `next`, or is a 404.
 */
export function healthHandler(checks: HealthChecks, next?: RequestListener): RequestListener {
  return (request, response) => {
    const [path, query] = (request.url ?? "/").split("?", 2);
    const read = path === "/live" ? checks.liveness : path === "/ready" ? checks.readiness : undefined;
    if (!read) {
      if (next) next(request, response);
      else response.writeHead(404).end();
    } else if (request.method !== "GET") {
      response
        .writeHead(405, { allow: "GET", "content-type": "text/plain; charset=utf-8" })
        .end("method not allowed\n");
    } else void read().then((found) => answer(response, found, new URLSearchParams(query).get("full") === "1"));
  };
}

function answer(response: ServerResponse, found: CheckResults, full: boolean): void {
  const fine = [...found.values()].every((failure) => failure === undefined);
  const shown = full ? Object.fromEntries([...found].map(([name, failure]) => [name, failure ?? "OK"])) : {};
  response.writeHead(fine ? 200 : 503, { "content-type": "application/json; charset=utf-8" });
  response.end(`${JSON.stringify(shown, undefined, 4)}\n`);
}
