import { isJsonObject, type JsonValue, stringifyJson } from "#api/meta/json.ts";

/** Where two answers differ, one line a place: path, what Kubernetes has, what the embedded server has. */
export function differences(kubernetes: JsonValue | undefined, embedded: JsonValue | undefined, path = ""): string[] {
  if (Array.isArray(kubernetes) && Array.isArray(embedded) && kubernetes.length === embedded.length)
    return kubernetes.flatMap((item, position) => differences(item, embedded[position], `${path}[${position}]`));
  if (isJsonObject(kubernetes) && isJsonObject(embedded)) {
    const names = new Set([...Object.keys(kubernetes), ...Object.keys(embedded)]);
    return [...names].flatMap((name) =>
      differences(
        Object.hasOwn(kubernetes, name) ? kubernetes[name] : undefined,
        Object.hasOwn(embedded, name) ? embedded[name] : undefined,
        `${path}.${name}`,
      ),
    );
  }
  return shown(kubernetes) === shown(embedded)
    ? []
    : [`${path}\n    Kubernetes: ${shown(kubernetes)}\n    embedded:   ${shown(embedded)}`];
}

const shown = (value: JsonValue | undefined): string => (value === undefined ? "(absent)" : stringifyJson(value));
