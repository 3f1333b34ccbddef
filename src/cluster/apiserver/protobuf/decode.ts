/**
 * Decodes the protobuf bodies of Kubernetes clients: typed clients of client-go, and kubectl for some commands, send them and
 * have no other form. The envelope is `k8s\0` and a message that names the kind; the rest is read by generated tables and
 * comes out as Kubernetes' own JSON.
 */
import type { JsonObject, JsonValue } from "#api/meta/json.ts";
import { malformed, ProtobufError } from "./protobuf-error.ts";
import { type Field, messageNamed, messageOfKind } from "./tables.ts";
import { forEachField, readBytes, readScalar, readScalars, type WireField } from "./wire.ts";
import { readWrapper } from "./wrappers.ts";

export { ProtobufError } from "./protobuf-error.ts";

const MAGIC = [0x6b, 0x38, 0x73, 0x00];
const MEDIA_TYPE = "application/vnd.kubernetes.protobuf";
/** Deeper messages are refused; the deepest real ones are schemas in CRDs. */
const MAX_DEPTH = 100;

/**
 * The object in a protobuf body, with `apiVersion` and `kind`. Fields that the tables do not know are skipped. Zero values
 * are left out where Kubernetes' JSON leaves them out; 64-bit integers are exact.
 * Throws `ProtobufError` for a kind that is not known and for bytes that are malformed.
 */
export function decodeProtobuf(bytes: Uint8Array): JsonObject {
  try {
    const { apiVersion, kind, raw } = readEnvelope(bytes);
    const name = messageOfKind(apiVersion, kind);
    if (name === undefined)
      throw new ProtobufError("UnknownKind", `no kind "${kind}" is registered for version "${apiVersion}" in protobuf`);
    return { apiVersion, kind, ...readMessage(raw, name, 0) };
  } catch (error) {
    if (error instanceof ProtobufError) throw error;
    throw malformed(error instanceof Error ? error.message : String(error), error);
  }
}

function readEnvelope(bytes: Uint8Array): { apiVersion: string; kind: string; raw: Uint8Array } {
  if (MAGIC.some((byte, position) => bytes[position] !== byte)) throw malformed("it does not begin with k8s\\0");
  let typeMeta: JsonObject = {};
  let raw = new Uint8Array();
  const form = { encoding: "", mediaType: "" };
  forEachField(bytes.subarray(MAGIC.length), (field) => {
    if (field.number === 1) typeMeta = readMessage(readBytes(field), "runtime.TypeMeta", 0);
    else if (field.number === 2) raw = new Uint8Array(readBytes(field));
    else if (field.number === 3) form.encoding = String(readScalar(field, "string"));
    else if (field.number === 4) form.mediaType = String(readScalar(field, "string"));
    else return false;
    return true;
  });
  if (form.encoding !== "" || (form.mediaType !== "" && form.mediaType !== MEDIA_TYPE))
    throw malformed(`its content is ${form.encoding} ${form.mediaType}, not plain protobuf`);
  return { apiVersion: String(typeMeta.apiVersion ?? ""), kind: String(typeMeta.kind ?? ""), raw };
}

/** What is gathered of a message: values, lists that grow, and maps that grow. */
type Members = Map<string, JsonValue | JsonValue[] | Map<string, JsonValue>>;

function readMessage(bytes: Uint8Array, name: string, depth: number): JsonObject {
  const members: Members = new Map();
  gather(bytes, name, depth, members);
  // `fromEntries` makes plain members of all names, `__proto__` included.
  return Object.fromEntries(
    Array.from(members, ([key, value]) => [key, value instanceof Map ? Object.fromEntries(value) : value]),
  );
}

/** Reads the known fields of a message, in the order they come; of a single value, the last one counts. */
function gather(bytes: Uint8Array, name: string, depth: number, members: Members): void {
  if (depth > MAX_DEPTH) throw malformed("it is nested too deep");
  const fields = messageNamed(name);
  forEachField(bytes, (wire) => {
    const field = fields.get(wire.number);
    if (field) readField(wire, field, depth, members);
    return field !== undefined;
  });
}

function readField(wire: WireField, field: Field, depth: number, members: Members): void {
  const { name, container } = field;
  if (field.inline) {
    gather(readBytes(wire), field.message, depth + 1, members);
  } else if (container === "list") {
    const items = members.get(name);
    const more = readItems(wire, field, depth);
    if (Array.isArray(items)) for (const item of more) items.push(item);
    else members.set(name, [...more]);
  } else if (container === "map") {
    const entries = members.get(name);
    const [key, value] = readEntry(readBytes(wire), field, depth);
    if (entries instanceof Map) entries.set(key, value);
    else members.set(name, new Map([[key, value]]));
  } else {
    const value = readValue(wire, field, depth);
    if (field.omitZero && isZero(value)) members.delete(name);
    else members.set(name, value);
  }
}

const isZero = (value: JsonValue): boolean => value === "" || value === 0 || value === false || value === null;

function readItems(wire: WireField, field: Field, depth: number): readonly JsonValue[] {
  return field.scalar ? readScalars(wire, field.scalar) : [readValue(wire, field, depth)];
}

function readValue(wire: WireField, field: Field, depth: number): JsonValue {
  if (field.scalar) return readScalar(wire, field.scalar);
  return messageValue(readBytes(wire), field, depth);
}

/** The value of an embedded message. */
function messageValue(bytes: Uint8Array, { wrapper, message, union }: Field, depth: number): JsonValue {
  if (wrapper) return readWrapper(bytes, wrapper);
  const value = readMessage(bytes, message, depth + 1);
  if (!union) return value;
  // Of a union with a boolean, the boolean is always on the wire; it counts when it is alone.
  const [member = false] = Object.values(value).sort(
    (a, b) => Number(typeof a === "boolean") - Number(typeof b === "boolean"),
  );
  return member;
}

/** An entry of a map: key and value as fields 1 and 2; a value left out is the zero of its type. */
function readEntry(bytes: Uint8Array, field: Field, depth: number): [string, JsonValue] {
  let key = "";
  let value: JsonValue | undefined;
  forEachField(bytes, (wire) => {
    if (wire.number === 1) key = String(readScalar(wire, "string"));
    else if (wire.number === 2) value = readValue(wire, field, depth);
    else return false;
    return true;
  });
  return [key, value ?? (field.scalar ? "" : messageValue(new Uint8Array(), field, depth))];
}
