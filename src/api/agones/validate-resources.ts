/** Resource limits and requests of a container: none negative, no request above its limit. What is no quantity is told elsewhere. */
import type { ResourceList, ResourceRequirements } from "../core/pod.ts";
import { child, type FieldError, invalid, key } from "../meta/field.ts";
import { compareQuantities, parseQuantity, type Quantity, QuantityError, quantityToString } from "../meta/quantity.ts";

export const NOT_NEGATIVE = "must be greater than or equal to 0";

export function validateResources(resources: ResourceRequirements | undefined, path: string): readonly FieldError[] {
  const limits = readList(resources?.limits, child(path, "limits"));
  const requests = readList(resources?.requests, child(path, "requests"));
  const excesses = [...requests.quantities].flatMap(([name, request]) => {
    const limit = limits.quantities.get(name);
    if (!limit || compareQuantities(request, limit) <= 0) return [];
    const rule = `must be less than or equal to ${name} limit of ${quantityToString(limit)}`;
    return [invalid(child(path, "requests"), quantityToString(request), rule)];
  });
  return [...limits.faults, ...requests.faults, ...excesses];
}

function readList(list: ResourceList | undefined, path: string) {
  const quantities = new Map<string, Quantity>();
  const faults: FieldError[] = [];
  for (const [name, text] of Object.entries(list ?? {})) {
    const quantity = readQuantity(text);
    if (!quantity) continue;
    quantities.set(name, quantity);
    if (quantity.nano < 0n) faults.push(invalid(key(path, name), quantityToString(quantity), NOT_NEGATIVE));
  }
  return { quantities, faults };
}

function readQuantity(text: string): Quantity | undefined {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
