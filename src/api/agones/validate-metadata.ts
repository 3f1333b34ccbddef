/** The Kubernetes rules for labels and annotations, on templates and on what is merged into a GameServer. */
import { child, type FieldError, invalid, tooLong } from "../meta/field.ts";
import { isLabelValue, isQualifiedName } from "../meta/names.ts";
import type { ObjectMeta } from "../meta/object.ts";

type StringMap = Readonly<Record<string, string>> | null | undefined;

/** Longest name of a GameServer, GameServerSet or Fleet: it becomes a label value and a host name. */
const NAME_MAX_BYTES = 63;
/** Most bytes all annotations of an object may take, keys and values together. */
const ANNOTATIONS_MAX_BYTES = 256 * 1024;

/** `generateName` is not checked: the API server cuts its base to fit. */
export function validateName(metadata: ObjectMeta): readonly FieldError[] {
  return bytes(metadata.name ?? "") > NAME_MAX_BYTES ? [tooLong("metadata.name", NAME_MAX_BYTES)] : [];
}

/** Labels and annotations at `path`. Faults name the whole map and give the key or value that is wrong. */
export function validateMetadata(metadata: LabelsAndAnnotations | undefined, path: string): readonly FieldError[] {
  return [
    ...validateLabels(metadata?.labels, child(path, "labels")),
    ...validateAnnotations(metadata?.annotations, child(path, "annotations")),
  ];
}

interface LabelsAndAnnotations {
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
}

function validateLabels(labels: StringMap, path: string): readonly FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([name, value]) => [
    ...isQualifiedName(name).map((message) => invalid(path, name, message)),
    ...isLabelValue(value).map((message) => invalid(path, value, message)),
  ]);
}

function validateAnnotations(annotations: StringMap, path: string): readonly FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const size = entries.reduce((sum, [name, value]) => sum + bytes(name) + bytes(value), 0);
  return [
    ...entries.flatMap(([name]) => isQualifiedName(name.toLowerCase()).map((message) => invalid(path, name, message))),
    ...(size > ANNOTATIONS_MAX_BYTES ? [tooLong(path, ANNOTATIONS_MAX_BYTES)] : []),
  ];
}

const bytes = (text: string): number => Buffer.byteLength(text);
