import { readFileSync } from "node:fs";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "#api/meta/json.ts";
import { decodeProtobuf, ProtobufError } from "./decode.ts";

function fixture<T>(name: string): Readonly<Record<string, T>> {
  return JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8"));
}

const fromHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"));

/** A body in its envelope. */
function body(
  apiVersion: string,
  kind: string,
  raw: (writer: BinaryWriter) => BinaryWriter,
  more = new BinaryWriter(),
) {
  const typeMeta = new BinaryWriter().tag(1, WireType.LengthDelimited).string(apiVersion);
  typeMeta.tag(2, WireType.LengthDelimited).string(kind);
  const envelope = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(typeMeta.finish());
  envelope.tag(2, WireType.LengthDelimited).bytes(raw(new BinaryWriter()).finish());
  return Buffer.concat([Buffer.from("k8s\0"), envelope.finish(), more.finish()]);
}

const embedded = (writer: BinaryWriter, number: number, write: (inner: BinaryWriter) => BinaryWriter): BinaryWriter =>
  writer.tag(number, WireType.LengthDelimited).bytes(write(new BinaryWriter()).finish());

const codeOf = (bytes: Uint8Array): string => {
  try {
    decodeProtobuf(bytes);
  } catch (error) {
    if (error instanceof ProtobufError) return error.code;
    throw error;
  }
  return "decoded";
};

describe("decodeProtobuf on what kubectl sends", () => {
  const meta = (name: string) => ({ name, namespace: "games" });
  it.each<[string, JsonObject]>([
    [
      "create namespace games",
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "games" }, spec: {}, status: {} },
    ],
    [
      "create configmap settings --from-literal=mode=ranked --from-literal=size=12",
      { apiVersion: "v1", kind: "ConfigMap", metadata: meta("settings"), data: { mode: "ranked", size: "12" } },
    ],
    ["create serviceaccount duelist", { apiVersion: "v1", kind: "ServiceAccount", metadata: meta("duelist") }],
    [
      "create secret generic key --from-literal=token=abc",
      { apiVersion: "v1", kind: "Secret", metadata: meta("key"), data: { token: "YWJj" } },
    ],
    [
      "create deployment web --image=registry.example.net/web:3 --replicas=2 --port=8080",
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { ...meta("web"), labels: { app: "web" } },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: "web" } },
          template: {
            metadata: { labels: { app: "web" } },
            spec: {
              containers: [
                { name: "web", image: "registry.example.net/web:3", ports: [{ containerPort: 8080 }], resources: {} },
              ],
            },
          },
          strategy: {},
        },
        status: {},
      },
    ],
    [
      "auth can-i create pods",
      {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        metadata: {},
        spec: { resourceAttributes: { namespace: "games", verb: "create", resource: "pods" } },
        status: { allowed: false },
      },
    ],
    [
      "create role reader --verb=get,list --resource=pods",
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        metadata: meta("reader"),
        rules: [{ verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] }],
      },
    ],
    [
      "create token duelist --duration=10m",
      {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        metadata: {},
        spec: { expirationSeconds: 600 },
        status: { token: "", expirationTimestamp: null },
      },
    ],
  ])("reads %s", (command, expected) => {
    expect(decodeProtobuf(fromHex(fixture<string>("kubectl")[command] as string))).toStrictEqual(expected);
  });
});

describe("decodeProtobuf beside the JSON of the same Go objects", () => {
  /** Go writes null where the wire has nothing: lists and maps that were never made. */
  function withoutNulls(value: JsonValue | undefined): JsonValue | undefined {
    if (Array.isArray(value)) return value.map((item: JsonValue) => withoutNulls(item) as JsonValue);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [[name, withoutNulls(member)]])),
    );
  }

  const bodies = fixture<{ hex: string; json: string }>("client-go");
  it.each(Object.keys(bodies))("reads %s", (name) => {
    const { hex, json } = bodies[name] as { hex: string; json: string };
    expect(withoutNulls(decodeProtobuf(fromHex(hex)))).toEqual(withoutNulls(parseJson(json)));
  });
});

describe("decodeProtobuf", () => {
  it("skips fields that no table has", () => {
    const bytes = body("v1", "ConfigMap", (writer) => {
      writer.tag(900, WireType.LengthDelimited).string("new").tag(901, WireType.Varint).uint32(1);
      return embedded(writer, 1, (metadata) => metadata.tag(1, WireType.LengthDelimited).string("settings"));
    });
    expect(decodeProtobuf(bytes)).toEqual({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } });
  });

  it("lets the last of a single value count, and keeps odd keys plain", () => {
    const entry = (key: string) => (inner: BinaryWriter) => inner.tag(1, WireType.LengthDelimited).string(key);
    const bytes = body("v1", "ConfigMap", (writer) => {
      embedded(writer, 1, (metadata) => metadata.tag(1, WireType.LengthDelimited).string("first"));
      embedded(writer, 1, (metadata) => metadata.tag(1, WireType.LengthDelimited).string("last"));
      return embedded(embedded(writer, 2, entry("__proto__")), 2, entry("mode"));
    });
    const decoded = decodeProtobuf(bytes);
    expect(decoded.metadata).toEqual({ name: "last" });
    expect(Object.entries(decoded.data as JsonObject)).toEqual([
      ["__proto__", ""],
      ["mode", ""],
    ]);
  });

  it("finds options in every group", () => {
    const bytes = body("apps/v1", "DeleteOptions", (writer) => writer.tag(1, WireType.Varint).int64(5n));
    expect(decodeProtobuf(bytes)).toEqual({ apiVersion: "apps/v1", kind: "DeleteOptions", gracePeriodSeconds: 5 });
  });

  const time = (seconds: bigint) =>
    body("v1", "Pod", (pod) =>
      embedded(pod, 1, (metadata) => embedded(metadata, 8, (value) => value.tag(1, WireType.Varint).int64(seconds))),
    );
  it("refuses times that RFC 3339 cannot write", () => {
    expect(decodeProtobuf(time(0n)).metadata).toEqual({ creationTimestamp: "1970-01-01T00:00:00Z" });
    expect(codeOf(time(253_402_300_800n))).toBe("Malformed");
    expect(codeOf(time(-(2n ** 63n)))).toBe("Malformed");
  });

  it.each([
    ["no bytes", new Uint8Array()],
    ["JSON", Buffer.from('{"kind":"Pod"}')],
    ["a cut envelope", body("v1", "Pod", (writer) => writer).subarray(0, 8)],
    ["a length beyond the end", body("v1", "Pod", (writer) => writer.tag(1, WireType.LengthDelimited).uint32(2 ** 31))],
    ["a wrong wire type", body("v1", "Pod", (writer) => writer.tag(1, WireType.Varint).uint32(1))],
    [
      "text for a number",
      body("apps/v1", "DeleteOptions", (writer) => writer.tag(1, WireType.LengthDelimited).string("5")),
    ],
    [
      "raw bytes that are no JSON",
      body("v1", "List", (writer) => embedded(writer, 2, (raw) => raw.tag(1, WireType.LengthDelimited).string("{"))),
    ],
    [
      "compressed content",
      body("v1", "Pod", (writer) => writer, new BinaryWriter().tag(3, WireType.LengthDelimited).string("gzip")),
    ],
  ])("refuses %s", (_name, bytes) => {
    expect(codeOf(bytes)).toBe("Malformed");
  });

  it("refuses kinds it has no table of, by name", () => {
    const bytes = body("agones.dev/v1", "Fleet", (writer) => writer);
    expect(codeOf(bytes)).toBe("UnknownKind");
    expect(() => decodeProtobuf(bytes)).toThrow(
      'no kind "Fleet" is registered for version "agones.dev/v1" in protobuf',
    );
    for (const kind of ["constructor", "", "__proto__"])
      expect(codeOf(body("v1", kind, (writer) => writer))).toBe("UnknownKind");
    expect(codeOf(body("toString", "Pod", (writer) => writer))).toBe("UnknownKind");
  });

  it("refuses messages and raw JSON that nest without end", () => {
    const nested = (depth: number): Uint8Array =>
      Array.from({ length: depth }).reduce<Uint8Array>(
        (inner) => new BinaryWriter().tag(28, WireType.LengthDelimited).bytes(inner).finish(),
        new Uint8Array(),
      );
    const schema = (depth: number) =>
      body("apiextensions.k8s.io/v1", "JSONSchemaProps", (writer) =>
        writer.tag(28, WireType.LengthDelimited).bytes(nested(depth)),
      );
    expect(codeOf(schema(20))).toBe("decoded");
    expect(codeOf(schema(2000))).toBe("Malformed");
    const deep = body("v1", "List", (writer) =>
      embedded(writer, 2, (raw) => raw.tag(1, WireType.LengthDelimited).string("[".repeat(9999) + "]".repeat(9999))),
    );
    expect(codeOf(deep)).toBe("Malformed");
  });
});
