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
  notSupported,
  required,
} from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { isDns1123Label } from "#api/meta/names.ts";
import { parseQuantity } from "#api/meta/quantity.ts";
import { asText, objectAt, objectsAt } from "../resources/object-fields.ts";

const protocols = ["SCTP", "TCP", "UDP"];
const restartPolicies = ["Always", "OnFailure", "Never"];
const environmentName = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const portName = /^(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/;

export function podFaults(pod: JsonObject, old: JsonObject | undefined): FieldError[] {
  const spec = objectAt(pod, "spec");
  if (old) return updateFaults(spec, objectAt(old, "spec"));
  const faults = containersFaults(spec);
  if (!restartPolicies.includes(asText(spec.restartPolicy)))
    faults.push(notSupported("spec.restartPolicy", spec.restartPolicy, restartPolicies));
  const grace = spec.terminationGracePeriodSeconds;
  if (typeof grace === "number" && grace < 0)
    faults.push(invalid("spec.terminationGracePeriodSeconds", grace, "must be greater than or equal to 0"));
  return faults;
}

function containersFaults(spec: JsonObject): FieldError[] {
  const faults: FieldError[] = [];
  const names = new Set<unknown>();
  const hostPorts = new Set<string>();
  if (objectsAt(spec, "containers").length === 0) faults.push(required("spec.containers", ""));
  for (const member of ["initContainers", "containers"])
    for (const [position, container] of objectsAt(spec, member).entries()) {
      const path = index(child("spec", member), position);
      faults.push(...containerFaults(container, path));
      if (names.has(container.name)) faults.push(duplicate(child(path, "name"), container.name));
      names.add(container.name);
      faults.push(...portFaults(container, path, hostPorts));
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
      faults.push(
        invalid(
          at,
          variable.name,
          "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
        ),
      );
  }
  for (const member of ["limits", "requests"])
    for (const [name, value] of Object.entries(objectAt(objectAt(container, "resources"), member)))
      if (typeof value === "string" && !isQuantity(value))
        faults.push(
          invalid(
            key(child(child(path, "resources"), member), name),
            value,
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
          ),
        );
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

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

/** Members of a running pod's spec that may change. */
function updateFaults(spec: JsonObject, old: JsonObject): FieldError[] {
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
