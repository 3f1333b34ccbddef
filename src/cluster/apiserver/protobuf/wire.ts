/** The wire form of protobuf, over the reader of the library: fields, scalars, and nothing that Kubernetes means by them. */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { JsonValue } from "#api/meta/json.ts";
import { malformed } from "./protobuf-error.ts";
import type { Scalar } from "./tables.ts";

/** A field as it stands in a message, not yet read. */
export interface WireField {
  readonly number: number;
  readonly wireType: WireType;
  readonly reader: BinaryReader;
}

/** Calls `read` for each field of a message; one that it does not take (it answers false) is skipped. */
export function forEachField(message: Uint8Array, read: (field: WireField) => boolean): void {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (!read({ number, wireType, reader })) reader.skip(wireType, number);
  }
}

/** The bytes of an embedded message, a string or raw bytes. */
export function readBytes({ number, wireType, reader }: WireField): Uint8Array {
  if (wireType !== WireType.LengthDelimited) throw wrongWireType(number, wireType);
  return reader.bytes();
}

const wireTypeOf: Readonly<Record<Scalar, WireType>> = {
  string: WireType.LengthDelimited,
  bytes: WireType.LengthDelimited,
  bool: WireType.Varint,
  int32: WireType.Varint,
  int64: WireType.Varint,
  double: WireType.Bit64,
};

export function readScalar({ number, wireType, reader }: WireField, type: Scalar): JsonValue {
  if (wireType !== wireTypeOf[type]) throw wrongWireType(number, wireType);
  return readValue(reader, type);
}

/** One item of a repeated scalar, or several in packed form. */
export function readScalars(field: WireField, type: Scalar): readonly JsonValue[] {
  const isPacked = field.wireType === WireType.LengthDelimited && wireTypeOf[type] !== WireType.LengthDelimited;
  if (!isPacked) return [readScalar(field, type)];
  const reader = new BinaryReader(field.reader.bytes());
  const values: JsonValue[] = [];
  while (reader.pos < reader.len) values.push(readValue(reader, type));
  return values;
}

function readValue(reader: BinaryReader, type: Scalar): JsonValue {
  switch (type) {
    case "string":
      return reader.string();
    case "bytes":
      return Buffer.from(reader.bytes()).toString("base64");
    case "bool":
      return reader.bool();
    case "int32":
      return reader.int32();
    case "int64":
      return exactInteger(BigInt(reader.int64()));
    case "double": {
      const value = reader.double();
      if (!Number.isFinite(value)) throw malformed("a number is not finite");
      return value;
    }
  }
}

/** A `number` where that is exact, as JSON text would be read. */
function exactInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function wrongWireType(number: number, wireType: WireType): Error {
  return malformed(`field ${number} has wire type ${wireType}`);
}
