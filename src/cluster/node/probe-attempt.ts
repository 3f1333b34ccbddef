/** One attempt of a probe against a container on this node. */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import type { Container, Probe } from "#api/core/pod.ts";
import type { IntOrString } from "#api/meta/int-or-string.ts";
import type { Clock } from "#runtime/clock.ts";
import type { LiveContainer } from "./container-runtime.ts";
import type { ProbeResult } from "./probes.ts";

export interface ProbeTarget {
  readonly container: Container;
  /** The pod's handler containers that run now. */
  readonly handlers: readonly { readonly container: Container; readonly live: LiveContainer }[];
  /** Where the pod's processes listen. */
  readonly address: string;
  readonly clock: Clock;
}

const healthy: ProbeResult = { ok: true, message: "" };
const failure = (message: string): ProbeResult => ({ ok: false, message });

/**
 * Never rejects. HTTP probes on a port of a handler container are answered by it, whichever container they belong to; a path it
 * does not know, like every other probe, goes to the host port that stands for the container's port.
 */
export async function attemptProbe(probe: Probe, target: ProbeTarget): Promise<ProbeResult> {
  const seconds = Math.max(1, probe.timeoutSeconds ?? 1);
  const expired = new AbortController();
  const cancel = target.clock.after(seconds * 1000, () => expired.abort());
  try {
    if (probe.httpGet) return await attemptHttp(probe.httpGet, target, expired.signal);
    if (probe.tcpSocket) {
      const { host = target.address, port } = probe.tcpSocket;
      await connectTo(host, hostPort(port, target.container), expired.signal);
    }
    return healthy;
  } catch (error) {
    return failure(expired.signal.aborted ? `no answer within ${seconds} s` : (error as Error).message);
  } finally {
    cancel();
  }
}

async function attemptHttp(
  get: NonNullable<Probe["httpGet"]>,
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const { path = "/", host = target.address } = get;
  const port = portNumber(get.port, target.container);
  const handler = target.handlers.find(({ container }) => portsOf(container).has(port))?.live;
  const answer = get.host === undefined ? await handler?.probe?.(port, path) : undefined;
  const status =
    answer && answer.status !== 404
      ? answer.status
      : await statusOf({ ...get, path, host, port: hostPort(get.port, target.container) }, signal);
  return status >= 200 && status < 400 ? healthy : failure(`HTTP probe failed with statuscode: ${status}`);
}

/** The ports of a handler container: those it declares and those that its own probes name. */
function portsOf(container: Container): ReadonlySet<number> {
  const probes = [container.livenessProbe, container.readinessProbe, container.startupProbe];
  return new Set([
    ...(container.ports ?? []).map(({ containerPort }) => containerPort),
    ...probes.map((probe) => probe?.httpGet?.port).filter((port) => typeof port === "number"),
  ]);
}

function portNumber(port: IntOrString, { ports = [] }: Container): number {
  if (typeof port === "number") return port;
  const named = ports.find(({ name }) => name === port);
  if (!named) throw new Error(`the container has no port named "${port}"`);
  return named.containerPort;
}

/** A process listens on the host port that was assigned for its container port. */
function hostPort(port: IntOrString, container: Container): number {
  const number = portNumber(port, container);
  return container.ports?.find(({ containerPort }) => containerPort === number)?.hostPort || number;
}

function statusOf(
  { scheme, host, port, path, httpHeaders = [] }: NonNullable<Probe["httpGet"]> & { host: string },
  signal: AbortSignal,
): Promise<number> {
  const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
  const options = { host, port, path, headers, agent: false, signal };
  return new Promise((resolve, reject) => {
    // A probe asks whether the process answers, not who it is: the kubelet checks no certificate either.
    const request = scheme === "HTTPS" ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options);
    request.once("error", reject);
    request.once("response", (response) => {
      response.on("error", () => {});
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.end();
  });
}

function connectTo(host: string, port: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
  });
}
