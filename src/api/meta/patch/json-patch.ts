/** JSON Patch (RFC 6902) over immutable values: what a patch does not touch is shared with the document before. */
import { deepEqual } from "../equality.ts";
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "../json.ts";
import { parsePointer } from "./json-pointer.ts";

export { diffJson } from "./json-diff.ts";

/** One operation of a JSON Patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

export type JsonPatchErrorCode =
  /** Not a list of well-formed operations. */
  | "InvalidPatch"
  /** More than `JSON_PATCH_MAX_OPERATIONS`. */
  | "TooManyOperations"
  /** The document has nothing at the path, or nothing that can hold it. */
  | "PathNotFound"
  /** A `test` found another value. */
  | "TestFailed"
  /** `copy` operations would make the document grow without measure. */
  | "CopyTooLarge";

/** A patch that is malformed or does not apply. Nothing of it took effect. */
export class JsonPatchError extends Error {
  override readonly name = "JsonPatchError";
  readonly code: JsonPatchErrorCode;
  /** Position of the failing operation in the patch; −1 when the patch as a whole is at fault. */
  readonly index: number;
  /** Pointer that the failing operation named; empty when it named none. */
  readonly path: string;

  constructor(code: JsonPatchErrorCode, message: string, index: number, path: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.index = index;
    this.path = path;
  }
}

/** As many operations as a Kubernetes API server takes in one patch. */
const JSON_PATCH_MAX_OPERATIONS = 10_000;
/** How much the `copy` operations of one patch may add, in characters of JSON, roughly. */
const COPY_LIMIT = 3 * 1024 * 1024;

const withValue = new Set(["add", "replace", "test"]);
const withSource = new Set(["move", "copy"]);

/** Checks the shape of a patch that came over the wire. Throws `JsonPatchError` (`InvalidPatch`, `TooManyOperations`). */
export function parseJsonPatch(value: JsonValue): JsonPatchOperation[] {
  if (!Array.isArray(value)) throw new JsonPatchError("InvalidPatch", "a JSON patch must be an array", -1, "");
  if (value.length > JSON_PATCH_MAX_OPERATIONS)
    throw new JsonPatchError(
      "TooManyOperations",
      `The allowed maximum operations in a JSON patch is ${JSON_PATCH_MAX_OPERATIONS}, got ${value.length}`,
      -1,
      "",
    );
  return value.map(parseOperation);
}

function parseOperation(value: JsonValue, index: number): JsonPatchOperation {
  const refuse = (why: string, path = ""): never => {
    throw new JsonPatchError("InvalidPatch", `operation ${index}: ${why}`, index, path);
  };
  if (!isJsonObject(value)) return refuse("must be an object");
  const { op, path, from } = value;
  if (typeof path !== "string" || !parsePointer(path)) return refuse("path must be a JSON pointer");
  if (op === "remove") return { op, path };
  if (typeof op === "string" && withValue.has(op)) {
    if (value.value === undefined) return refuse(`${op} needs a value`, path);
    return { op: op as "add", path, value: value.value };
  }
  if (typeof op === "string" && withSource.has(op)) {
    if (typeof from !== "string" || !parsePointer(from)) return refuse("from must be a JSON pointer", path);
    return { op: op as "move", from, path };
  }
  return refuse(`unknown op ${JSON.stringify(op)}`, path);
}

/**
 * The document after all operations, in order. Throws `JsonPatchError` when one does not apply.
 * Unlike the document, the patch is trusted to be well-formed (`parseJsonPatch`), except for its pointers.
 */
export function applyJsonPatch(document: JsonValue, operations: readonly JsonPatchOperation[]): JsonValue {
  let copyBudget = COPY_LIMIT;
  return operations.reduce((result, operation, index) => {
    const fail: Fail = (code, why) => {
      throw new JsonPatchError(code, `${operation.op} ${operation.path}: ${why}`, index, operation.path);
    };
    if (operation.op === "copy") {
      copyBudget -= sizeUpTo(copyBudget, read(result, tokensOf(operation.from, fail), fail));
      if (copyBudget < 0) fail("CopyTooLarge", "the copies of this patch are too large");
    }
    return applyOperation(result, operation, fail);
  }, document);
}

type Fail = (code: JsonPatchErrorCode, why: string) => never;

function applyOperation(document: JsonValue, operation: JsonPatchOperation, fail: Fail): JsonValue {
  const tokens = tokensOf(operation.path, fail);
  switch (operation.op) {
    case "add":
      return insert(document, tokens, operation.value, fail);
    case "replace":
      return replace(document, tokens, operation.value, fail);
    case "remove":
      return remove(document, tokens, fail);
    case "test":
      if (!deepEqual(read(document, tokens, fail), operation.value)) fail("TestFailed", "the value is another");
      return document;
    case "copy":
      return insert(document, tokens, read(document, tokensOf(operation.from, fail), fail), fail);
    case "move": {
      const source = tokensOf(operation.from, fail);
      const value = read(document, source, fail);
      if (operation.from === operation.path) return document;
      if (source.length < tokens.length && source.every((token, depth) => token === tokens[depth]))
        fail("InvalidPatch", `${operation.from} cannot move into itself`);
      return insert(remove(document, source, fail), tokens, value, fail);
    }
  }
}

function tokensOf(pointer: string, fail: Fail): readonly string[] {
  return parsePointer(pointer) ?? fail("InvalidPatch", `${JSON.stringify(pointer)} is not a JSON pointer`);
}

type Container = JsonArray | JsonObject;
type Change = (container: Container, token: string) => Container;

const isContainer = (value: JsonValue | undefined): value is Container => typeof value === "object" && value !== null;

function read(document: JsonValue, tokens: readonly string[], fail: Fail): JsonValue {
  return tokens.reduce((node, token) => memberOf(node, token, fail), document);
}

function memberOf(node: JsonValue, token: string, fail: Fail): JsonValue {
  const member = Array.isArray(node)
    ? node[positionOf(token, node.length - 1, fail)]
    : isJsonObject(node) && Object.hasOwn(node, token)
      ? node[token]
      : undefined;
  return member ?? (member === null ? null : fail("PathNotFound", `nothing at ${JSON.stringify(token)}`));
}

/** An array index (RFC 6901: digits without leading zeros), no greater than `last`. */
function positionOf(token: string, last: number, fail: Fail): number {
  if (!/^(0|[1-9]\d*)$/.test(token)) return fail("PathNotFound", `${JSON.stringify(token)} is not an array index`);
  const position = Number(token);
  return position <= last ? position : fail("PathNotFound", `index ${token} is out of bounds`);
}

/** Copies the containers on the way to the last token and lets `change` make the new innermost one. */
function edit(node: JsonValue, tokens: readonly string[], fail: Fail, change: Change, depth = 0): JsonValue {
  const token = tokens[depth] as string;
  if (!isContainer(node)) return fail("PathNotFound", `nothing can be at ${JSON.stringify(token)}`);
  if (depth === tokens.length - 1) return change(node, token);
  const before = memberOf(node, token, fail);
  const after = edit(before, tokens, fail, change, depth + 1);
  return after === before ? node : withMember(node, token, after);
}

/** `[token]` as a computed name makes a plain member even of `__proto__`. */
function withMember(container: Container, token: string, value: JsonValue): Container {
  return isArray(container) ? container.with(Number(token), value) : { ...container, [token]: value };
}

const isArray = (container: Container): container is JsonArray => Array.isArray(container);

function insert(document: JsonValue, tokens: readonly string[], value: JsonValue, fail: Fail): JsonValue {
  if (tokens.length === 0) return value;
  return edit(document, tokens, fail, (container, token) => {
    if (!isArray(container)) return withMember(container, token, value);
    const position = token === "-" ? container.length : positionOf(token, container.length, fail);
    return container.toSpliced(position, 0, value);
  });
}

/** RFC 6902 wants the target to exist. Kubernetes takes an absent member of an object too, and clients rely on it. */
function replace(document: JsonValue, tokens: readonly string[], value: JsonValue, fail: Fail): JsonValue {
  if (tokens.length === 0) return value;
  return edit(document, tokens, fail, (container, token) => {
    const absent = !isArray(container) && !Object.hasOwn(container, token);
    return !absent && memberOf(container, token, fail) === value ? container : withMember(container, token, value);
  });
}

function remove(document: JsonValue, tokens: readonly string[], fail: Fail): JsonValue {
  if (tokens.length === 0) return fail("InvalidPatch", "the whole document cannot be removed");
  return edit(document, tokens, fail, (container, token) => {
    memberOf(container, token, fail);
    if (isArray(container)) return container.toSpliced(Number(token), 1);
    const { [token]: _removed, ...rest } = container;
    return rest;
  });
}

/** The rough length of a value's JSON; counting ends beyond `limit`, so a value that shares itself costs no more. */
function sizeUpTo(limit: number, value: JsonValue | undefined): number {
  if (!isContainer(value)) return typeof value === "string" ? value.length + 2 : 8;
  let size = 2;
  for (const [name, member] of Object.entries(value)) {
    size += name.length + 4 + sizeUpTo(limit - size, member);
    if (size > limit) break;
  }
  return size;
}
