/** Answers over HTTP and UDP, so that a game client can measure how far away a cluster is. */
import { parseFeatureGates } from "#api/agones/feature-gates.ts";
import { HttpAnswer } from "#ping/http-answer.ts";
import { UdpEcho } from "#ping/udp-echo.ts";
import { systemClock as clock } from "#runtime/clock.ts";
import { type Config, ConfigError } from "#runtime/config.ts";
import { createHealthChecks } from "#runtime/health.ts";
import { createLogger } from "#runtime/logger.ts";
import { aborted, type Runnable, runGroups } from "#runtime/runnable.ts";
import { tellStart } from "./wiring/first-lines.ts";
import { runProgram } from "./wiring/program.ts";
import { PING } from "./wiring/settings-kubernetes.ts";

async function main(config: Config<typeof PING.options>): Promise<void> {
  const { httpPort, udpPort, httpResponse, udpRateLimit, featureGates, logLevel } = config;
  if (udpRateLimit < 0) throw new ConfigError(["UDP Rate limit must be greater that or equal to zero"]);
  const gates = parseFeatureGates(featureGates);
  const log = createLogger({ source: "ping", level: logLevel });
  tellStart(log, "Starting ping...", config, gates);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

  const health = createHealthChecks();
  const udp = new UdpEcho({ port: udpPort, perSecond: udpRateLimit, clock, log });
  const http = new HttpAnswer({ port: httpPort, response: httpResponse, health, clock });
  health.addLiveness(udp.name, () => udp.check());
  const told: Runnable = {
    name: "start",
    ready: async () => log.info({ httpPort: http.port, udpPort: udp.port }, "ping serves"),
    run: aborted,
  };
  await runGroups([[udp, http], [told]], stop.signal, log);
}

runProgram(PING, main);
