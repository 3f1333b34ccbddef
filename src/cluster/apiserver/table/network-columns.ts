/** How services and endpoints are told in a table cell. */
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "#api/meta/json.ts";
import { textOf, valueAt } from "./table.ts";

const objectsOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as JsonArray).filter(isJsonObject) : [];
const textsOf = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? (value as JsonArray).filter((each) => typeof each === "string") : [];

export function externalAddresses(service: JsonObject): string {
  const own = textsOf(valueAt(service, "spec", "externalIPs"));
  switch (valueAt(service, "spec", "type")) {
    case "ExternalName":
      return textOf(valueAt(service, "spec", "externalName"));
    case "LoadBalancer": {
      const ingress = objectsOf(valueAt(service, "status", "loadBalancer", "ingress"));
      const balanced = new Set(ingress.map(({ ip, hostname }) => textOf(ip) || textOf(hostname)).filter(Boolean));
      return [...[...balanced].sort(), ...own].join(",") || "<pending>";
    }
    case "ClusterIP":
    case "NodePort":
      return own.join(",") || "<none>";
    default:
      return "<unknown>";
  }
}

export const clusterAddress = (service: JsonObject): string =>
  textsOf(valueAt(service, "spec", "clusterIPs"))[0] || textOf(valueAt(service, "spec", "clusterIP")) || "<none>";

export function servicePorts(service: JsonObject): string {
  const ports = objectsOf(valueAt(service, "spec", "ports"));
  const shown = ports.map(
    ({ port, nodePort, protocol = "TCP" }) => `${port}${nodePort ? `:${nodePort}` : ""}/${protocol}`,
  );
  return shown.join(",") || "<none>";
}

export function selectorText(service: JsonObject): string {
  const selector = valueAt(service, "spec", "selector");
  const labels = isJsonObject(selector) ? Object.entries(selector).sort(([a], [b]) => (a < b ? -1 : 1)) : [];
  return labels.map(([name, value]) => `${name}=${value}`).join(",") || "<none>";
}

/** The first three addresses, and how many more there are. */
export function endpointAddresses(endpoints: JsonObject): string {
  const all = objectsOf(endpoints.subsets).flatMap((subset) => {
    const addresses = objectsOf(subset.addresses).map(({ ip }) => textOf(ip));
    const ports = objectsOf(subset.ports);
    if (ports.length === 0) return addresses;
    return ports.flatMap(({ port }) => addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${port}`));
  });
  if (all.length === 0) return "<none>";
  return all.length > 3 ? `${all.slice(0, 3).join(",")} + ${all.length - 3} more...` : all.join(",");
}
