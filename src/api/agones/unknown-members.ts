/** Members of a value that its schema does not know, such as misspelt ones: whoever passes them over does something else than was meant. */
import { child, index, key } from "../meta/field.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.ts";

/** The paths of all of them, below `path`. What lies inside an unknown member is not looked at. */
export function unknownMembers(schema: JsonObject, value: JsonValue | undefined, path = ""): readonly string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return isJsonObject(items) ? value.flatMap((item, at) => unknownMembers(items, item, index(path, at))) : [];
  }
  if (!isJsonObject(value)) return [];
  const { properties, additionalProperties } = schema;
  if (isJsonObject(additionalProperties))
    return Object.entries(value).flatMap(([name, each]) => unknownMembers(additionalProperties, each, key(path, name)));
  if (!isJsonObject(properties)) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isJsonObject(member) ? unknownMembers(member, each, child(path, name)) : [child(path, name)];
  });
}
