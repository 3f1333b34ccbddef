/** Resource quantities of a pod template in canonical text, as a typed API would store them: `1000m` is `1`, the number 0.5 is `500m`. */
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "../meta/json.ts";
import { parseQuantity, quantityToString } from "../meta/quantity.ts";

type Change = (value: JsonValue) => JsonValue;

/**
 * Rewrites every quantity of a pod template; what is no quantity by its place, or of another type than expected there, is
 * left alone. The same object when nothing changed. Throws `QuantityError`.
 */
export function canonicalQuantities(template: JsonObject): JsonObject {
  return podTemplate(template) as JsonObject;
}

/** Space around a text does not count. */
const quantity: Change = (value) => {
  if (typeof value === "string") return quantityToString(parseQuantity(value.trim()));
  return typeof value === "number" || typeof value === "bigint" ? quantityToString(parseQuantity(value)) : value;
};

/** Changes these members of an object, where they are. */
const members =
  (changes: Readonly<Record<string, Change>>): Change =>
  (value) => {
    if (!isJsonObject(value)) return value;
    const changed = Object.entries(changes).flatMap(([name, change]) => {
      const before = Object.hasOwn(value, name) ? value[name] : undefined;
      const after = before === undefined ? undefined : change(before);
      return after === before ? [] : [[name, after] as const];
    });
    return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
  };

const eachItem =
  (change: Change): Change =>
  (value) => {
    if (!Array.isArray(value)) return value;
    const changed: JsonArray = value.map(change);
    return changed.some((item, position) => item !== value[position]) ? changed : value;
  };

const eachValue =
  (change: Change): Change =>
  (value) =>
    isJsonObject(value) ? members(Object.fromEntries(Object.keys(value).map((name) => [name, change])))(value) : value;

const amounts = eachValue(quantity);
const resources = members({ limits: amounts, requests: amounts });
const containers = eachItem(
  members({
    resources,
    env: eachItem(members({ valueFrom: members({ resourceFieldRef: members({ divisor: quantity }) }) })),
  }),
);
const volumes = eachItem(
  members({
    emptyDir: members({ sizeLimit: quantity }),
    ephemeral: members({ volumeClaimTemplate: members({ spec: members({ resources }) }) }),
  }),
);
const podTemplate = members({
  spec: members({
    containers,
    initContainers: containers,
    ephemeralContainers: containers,
    resources,
    overhead: amounts,
    volumes,
  }),
});
