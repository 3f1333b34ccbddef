/** The rules of core/v1 Pod that its schema does not say, with Kubernetes' paths and texts. */
import { deepEqual } from "#api/meta/equality.ts";
import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  key,
  notFoundValue,
  notSupported,
  required,
} from "#api/meta/field.ts";
import { isJsonObject, type JsonObject } from "#api/meta/json.ts";
import { isDns1123Label } from "#api/meta/names.ts";
import { compareQuantities, parseQuantity, type Quantity, quantityToString } from "#api/meta/quantity.ts";
import { asText, objectAt, objectsAt } from "../resources/object-fields.ts";

const protocols = ["SCTP", "TCP", "UDP"];
const ZERO = parseQuantity("0");
const environmentName = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const portName = /^(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/;

export function podFaults(pod: JsonObject, old: JsonObject | undefined): FieldError[] {
  const spec = objectAt(pod, "spec");
  if (old) return updateFaults(spec, objectAt(old, "spec"));
  const { hostname } = spec;
  return [
    ...containersFaults(spec),
    ...(typeof hostname === "string" && hostname !== ""
      ? isDns1123Label(hostname).map((why) => invalid("spec.hostname", hostname, why))
      : []),
  ];
}

function containersFaults(spec: JsonObject): FieldError[] {
  const faults: FieldError[] = [];
  const names = new Set<unknown>();
  const hostPorts = new Set<string>();
  const volumes = new Set(objectsAt(spec, "volumes").map(({ name }) => name));
  if (objectsAt(spec, "containers").length === 0) faults.push(required("spec.containers", ""));
  for (const member of ["containers", "initContainers"])
    for (const [position, container] of objectsAt(spec, member).entries()) {
      const path = index(child("spec", member), position);
      faults.push(...containerFaults(container, path));
      if (names.has(container.name)) faults.push(duplicate(child(path, "name"), container.name));
      names.add(container.name);
      faults.push(...portFaults(container, path, hostPorts), ...resourceFaults(container, child(path, "resources")));
      for (const [at, { name }] of objectsAt(container, "volumeMounts").entries())
        if (name && !volumes.has(name))
          faults.push(notFoundValue(child(index(child(path, "volumeMounts"), at), "name"), name));
    }
  return faults;
}

function containerFaults(container: JsonObject, path: string): FieldError[] {
  const faults: FieldError[] = [];
  const { name, image } = container;
  if (!name) faults.push(required(child(path, "name"), ""));
  else if (typeof name === "string")
    faults.push(...isDns1123Label(name).map((why) => invalid(child(path, "name"), name, why)));
  if (!image) faults.push(required(child(path, "image"), ""));
  for (const [position, variable] of objectsAt(container, "env").entries()) {
    const at = child(index(child(path, "env"), position), "name");
    if (!variable.name) faults.push(required(at, ""));
    else if (typeof variable.name === "string" && !environmentName.test(variable.name))
      faults.push(invalid(at, variable.name, ENVIRONMENT_NAME));
  }
  return [...faults, ...environmentSourceFaults(container, child(path, "envFrom"))];
}

const ENVIRONMENT_NAME =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";

function environmentSourceFaults(container: JsonObject, path: string): FieldError[] {
  const faults: FieldError[] = [];
  for (const [position, source] of objectsAt(container, "envFrom").entries()) {
    const at = index(path, position);
    const { prefix } = source;
    if (typeof prefix === "string" && prefix !== "" && !environmentName.test(prefix))
      faults.push(invalid(child(at, "prefix"), prefix, ENVIRONMENT_NAME));
    const named = ["configMapRef", "secretRef"].filter((kind) => isJsonObject(source[kind]));
    for (const kind of named)
      if (!objectAt(source, kind).name) faults.push(required(child(child(at, kind), "name"), ""));
    if (named.length === 0) faults.push(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    if (named.length > 1) faults.push(invalid(path, "", "may not have more than one field specified at a time"));
  }
  return faults;
}

function portFaults(container: JsonObject, path: string, hostPorts: Set<string>): FieldError[] {
  const faults: FieldError[] = [];
  const names = new Set<unknown>();
  for (const [position, port] of objectsAt(container, "ports").entries()) {
    const at = index(child(path, "ports"), position);
    const { name, containerPort, hostPort, protocol = "TCP", hostIP = "" } = port;
    if (containerPort === undefined || containerPort === 0) faults.push(required(child(at, "containerPort"), ""));
    else faults.push(...numberFaults(child(at, "containerPort"), containerPort));
    if (hostPort !== undefined && hostPort !== 0) {
      faults.push(...numberFaults(child(at, "hostPort"), hostPort));
      const held = `${protocol}/${hostIP}/${hostPort}`;
      if (hostPorts.has(held)) faults.push(duplicate(child(at, "hostPort"), held));
      hostPorts.add(held);
    }
    if (!protocols.includes(asText(protocol))) faults.push(notSupported(child(at, "protocol"), protocol, protocols));
    if (typeof name !== "string" || name === "") continue;
    if (!portName.test(name))
      faults.push(
        invalid(
          child(at, "name"),
          name,
          "must be at most 15 of lower case letters, digits and single '-', with at least one letter, and must start and end with a letter or digit",
        ),
      );
    if (names.has(name)) faults.push(duplicate(child(at, "name"), name));
    names.add(name);
  }
  return faults;
}

function numberFaults(path: string, value: JsonObject[string]): FieldError[] {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65535
    ? []
    : [invalid(path, value, "must be between 1 and 65535, inclusive")];
}

/** Negative quantities, and requests beyond their limits. */
function resourceFaults(container: JsonObject, path: string): FieldError[] {
  const resources = objectAt(container, "resources");
  const limits = objectAt(resources, "limits");
  const faults: FieldError[] = [];
  for (const member of ["limits", "requests"])
    for (const [name, value] of Object.entries(objectAt(resources, member))) {
      const at = key(child(path, member), name);
      const amount = quantityOf(value);
      if (amount && compareQuantities(amount, ZERO) < 0)
        faults.push(invalid(at, quantityToString(amount), "must be greater than or equal to 0"));
      const most = member === "requests" ? quantityOf(limits[name]) : undefined;
      if (amount && most && compareQuantities(amount, most) > 0)
        faults.push(
          invalid(
            child(path, "requests"),
            quantityToString(amount),
            `must be less than or equal to ${name} limit of ${quantityToString(most)}`,
          ),
        );
    }
  return faults;
}

function quantityOf(value: JsonObject[string]): Quantity | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  try {
    return parseQuantity(value);
  } catch {
    return undefined;
  }
}

/** Members of a running pod's spec that may change. */
function updateFaults(spec: JsonObject, old: JsonObject): FieldError[] {
  for (const member of ["containers", "initContainers"])
    if (objectsAt(spec, member).length !== objectsAt(old, member).length)
      return [forbidden(child("spec", member), "pod updates may not add or remove containers")];
  if (deepEqual(comparable(spec, old), comparable(old, old))) return [];
  return [
    forbidden(
      "spec",
      "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
    ),
  ];
}

function comparable(spec: JsonObject, old: JsonObject): JsonObject {
  const { activeDeadlineSeconds: _deadline, ...rest } = spec;
  const withoutImages = (member: string) =>
    objectsAt(spec, member).map(({ image: _image, imagePullPolicy: _policy, ...container }) => container);
  const known = objectsAt(old, "tolerations");
  const kept = known.filter((each) => objectsAt(spec, "tolerations").some((other) => deepEqual(each, other)));
  return {
    ...rest,
    containers: withoutImages("containers"),
    initContainers: withoutImages("initContainers"),
    tolerations: kept,
  };
}
