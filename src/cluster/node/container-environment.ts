/** The environment of a container, put together from the pod, the node and the API. */

import { expandVariables } from "#api/core/expand-variables.ts";
import type { Container, EnvVar, EnvVarSource, Pod } from "#api/core/pod.ts";
import { portVariable } from "#api/core/port-variable.ts";
import type { Reader } from "#kube/client.ts";
import { ContainerConfigError, fieldValue, type NodeFacts, resourceValue } from "./downward-api.ts";
import { environmentFrom } from "./environment-from.ts";
import { storedData } from "./stored-data.ts";

export type Environment = Readonly<Record<string, string>>;

export interface EnvironmentSources {
  readonly pod: Pod;
  readonly container: Container;
  readonly node: NodeFacts;
  /** Below everything the pod says: what the machine, the image and the ports give. */
  readonly defaults: Environment;
  /** Above everything: what the pod's handler containers say. */
  readonly overrides: Environment;
  readonly reader: Pick<Reader, "get">;
  /** Is told of entries under `envFrom` that are no names of variables. */
  readonly skipped: (message: string) => void;
}

/**
 * What `env` says wins over what `envFrom` gives. Later entries see earlier ones by `$(NAME)`, in their order in the pod. Rejects with `ContainerConfigError` when something
 * is missing that is not optional, and with the client's errors when the API cannot be asked.
 */
export async function containerEnvironment(sources: EnvironmentSources): Promise<Environment> {
  const result: Record<string, string> = {
    ...sources.defaults,
    ...(await environmentFrom(sources)),
    ...sources.overrides,
  };
  for (const entry of sources.container.env ?? []) {
    if (Object.hasOwn(sources.overrides, entry.name)) continue;
    const value = await entryValue(entry, result, sources);
    if (value !== undefined) result[entry.name] = value;
  }
  return result;
}

/** `PORT` is the container's first host port; each named port with a host port is `STADION_PORT_<NAME>`. */
export function portEnvironment({ ports = [] }: Container): Environment {
  const result: Record<string, string> = {};
  for (const { name, hostPort } of ports) {
    if (!hostPort) continue;
    result.PORT ??= String(hostPort);
    if (name) result[portVariable(name)] = String(hostPort);
  }
  return result;
}

async function entryValue(
  { value, valueFrom }: EnvVar,
  known: Environment,
  sources: EnvironmentSources,
): Promise<string | undefined> {
  if (!valueFrom) return expandVariables(value ?? "", known);
  const { pod, container, node } = sources;
  if (valueFrom.fieldRef) return fieldValue(pod, valueFrom.fieldRef.fieldPath, node);
  if (valueFrom.resourceFieldRef) return resourceValue(pod, container, valueFrom.resourceFieldRef, node);
  return storedValue(valueFrom, pod.metadata.namespace ?? "", sources.reader);
}

async function storedValue(
  { configMapKeyRef, secretKeyRef }: EnvVarSource,
  namespace: string,
  reader: Pick<Reader, "get">,
): Promise<string | undefined> {
  const reference = configMapKeyRef ?? secretKeyRef;
  if (!reference) throw new ContainerConfigError("valueFrom names no source that this node knows");
  const { name = "", key, optional = false } = reference;
  const kind = configMapKeyRef ? "configmap" : "secret";
  const data = await storedData({ kind, namespace, name, optional }, reader);
  const text = data?.get(key);
  if (text !== undefined || optional) return text;
  throw new ContainerConfigError(`couldn't find key ${key} in ${kind} ${namespace}/${name}`);
}
