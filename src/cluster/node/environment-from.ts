/** What `envFrom` of a container gives: all entries of ConfigMaps and Secrets (core/v1 EnvFromSource). */
import type { Container, EnvFromSource, Pod } from "#api/core/pod.ts";
import type { Reader } from "#kube/client.ts";
import { type StoredReference, storedData } from "./stored-data.ts";

export interface EnvironmentFromOptions {
  readonly pod: Pod;
  readonly container: Container;
  readonly reader: Pick<Reader, "get">;
  /** Is told of entries that are no names of variables, which are left out. */
  readonly skipped: (message: string) => void;
}

/** A C_IDENTIFIER with dots and dashes, as the API server takes it under `env`. */
const VARIABLE = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;

/** Later sources win over earlier ones. Rejects as `storedData` does, for a source that names nothing too. */
export async function environmentFrom(options: EnvironmentFromOptions): Promise<Readonly<Record<string, string>>> {
  const { pod, container, reader, skipped } = options;
  const result: [string, string][] = [];
  for (const source of container.envFrom ?? []) {
    const reference = referenceOf(source, pod);
    const entries = [...((await storedData(reference, reader)) ?? [])].map(([key, value]): [string, string] => [
      `${source.prefix ?? ""}${key}`,
      value,
    ]);
    result.push(...entries.filter(([name]) => VARIABLE.test(name)));
    const wrong = entries.flatMap(([name]) => (VARIABLE.test(name) ? [] : [name])).sort();
    if (wrong.length > 0)
      skipped(
        `Keys [${wrong.join(", ")}] from the EnvFrom ${reference.kind === "secret" ? "secret" : "configMap"} ${reference.namespace}/${reference.name} were skipped since they are considered invalid environment variable names.`,
      );
  }
  return Object.fromEntries(result);
}

function referenceOf({ configMapRef, secretRef }: EnvFromSource, { metadata }: Pod): StoredReference {
  const { name = "", optional = false } = configMapRef ?? secretRef ?? {};
  return { kind: configMapRef ? "configmap" : "secret", namespace: metadata.namespace ?? "", name, optional };
}
