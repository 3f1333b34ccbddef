/** Resource quantities of a pod template, wherever they stand. */
import { child, type FieldError, index, invalid, key } from "../meta/field.ts";
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "../meta/json.ts";
import { parseQuantity, QuantityError, quantityToString } from "../meta/quantity.ts";

type Scalar = string | number | bigint;
/** What becomes of a quantity at a path. */
type Leaf = (value: Scalar, path: string) => JsonValue;
type Change = (value: JsonValue, path: string, leaf: Leaf) => JsonValue;

/**
 * Rewrites every quantity of a pod template in canonical text, as a typed API would store it: `1000m` is `1`, the number 0.5 is `500m`.
 * What is no quantity, or of another type than expected in its place, is left alone. The same object when nothing changed.
 */
export function canonicalQuantities(template: JsonObject): JsonObject {
  return podTemplate(template, "", (value) => canonical(value, () => value)) as JsonObject;
}

/** What stands in a pod template at `path` where a quantity must, and is none. */
export function quantityFaults(template: JsonObject, path: string): readonly FieldError[] {
  const faults: FieldError[] = [];
  podTemplate(template, path, (value, place) => {
    canonical(value, ({ message }) => faults.push(invalid(place, value, message)));
    return value;
  });
  return faults;
}

/** Space around a text does not count. */
function canonical(value: Scalar, otherwise: (error: QuantityError) => Scalar): Scalar {
  try {
    return quantityToString(parseQuantity(typeof value === "string" ? value.trim() : value));
  } catch (error) {
    if (error instanceof QuantityError) return otherwise(error);
    throw error;
  }
}

const quantity: Change = (value, path, leaf) =>
  typeof value === "string" || typeof value === "number" || typeof value === "bigint" ? leaf(value, path) : value;

/** Changes these members of an object, where they are. */
const members =
  (changes: Readonly<Record<string, Change>>): Change =>
  (value, path, leaf) =>
    changed(value, Object.keys(changes), (name, before) => changes[name]?.(before, child(path, name), leaf));

const eachValue =
  (change: Change): Change =>
  (value, path, leaf) =>
    changed(value, Object.keys(value ?? {}), (name, before) => change(before, key(path, name), leaf));

function changed(
  value: JsonValue,
  names: readonly string[],
  change: (name: string, before: JsonValue) => JsonValue | undefined,
): JsonValue {
  if (!isJsonObject(value)) return value;
  const news = names.flatMap((name) => {
    const before = Object.hasOwn(value, name) ? value[name] : undefined;
    const after = before === undefined ? undefined : change(name, before);
    return after === before ? [] : [[name, after] as const];
  });
  return news.length === 0 ? value : { ...value, ...Object.fromEntries(news) };
}

const eachItem =
  (change: Change): Change =>
  (value, path, leaf) => {
    if (!Array.isArray(value)) return value;
    const items: JsonArray = value.map((item, position) => change(item, index(path, position), leaf));
    return items.some((item, position) => item !== value[position]) ? items : value;
  };

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
