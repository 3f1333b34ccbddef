/** The error classes of the sources with their codes. */
import type { Class, TSType } from "oxc-parser";
import type { Source } from "./sources.ts";

export interface ErrorClass {
  readonly name: string;
  readonly path: string;
  /** Sorted; empty when the class has no literal code. */
  readonly codes: readonly string[];
}

/** Every class that extends `Error`. Throws when a code's type cannot be followed to literals. */
export function errorClasses(sources: readonly Source[]): readonly ErrorClass[] {
  const types = new Map<string, TSType>();
  const objects = new Map<string, readonly string[]>();
  const classes: { readonly path: string; readonly found: Class }[] = [];
  for (const source of sources) {
    source.visit({
      TSTypeAliasDeclaration: ({ id, typeAnnotation }) => void types.set(id.name, typeAnnotation),
      VariableDeclarator: ({ id, init }) => {
        const value = init?.type === "TSAsExpression" ? init.expression : init;
        if (id.type !== "Identifier" || value?.type !== "ObjectExpression") return;
        const names = value.properties.map((each) => (each.type === "Property" ? keyName(each.key) : undefined));
        objects.set(
          id.name,
          names.filter((name) => name !== undefined),
        );
      },
      ClassDeclaration: (found) => {
        if (found.superClass?.type === "Identifier" && found.superClass.name === "Error")
          classes.push({ path: source.path, found });
      },
    });
  }

  const literals = (type: TSType | undefined, where: string): readonly string[] => {
    switch (type?.type) {
      case "TSLiteralType":
        return type.literal.type === "Literal" ? [String(type.literal.value)] : [];
      case "TSUnionType":
        return type.types.flatMap((each) => literals(each, where));
      case "TSTypeOperator": {
        const name = type.typeAnnotation.type === "TSTypeQuery" && nameOf(type.typeAnnotation.exprName);
        const keys = name ? objects.get(name) : undefined;
        if (type.operator === "keyof" && keys) return keys;
        break;
      }
      case "TSTypeReference": {
        const name = nameOf(type.typeName);
        if (name === "Exclude") {
          const [all, out] = (type.typeArguments?.params ?? []).map((each) => literals(each, where));
          return (all ?? []).filter((each) => !out?.includes(each));
        }
        if (name && types.has(name)) return literals(types.get(name), where);
      }
    }
    throw new Error(`${where}: the code is no literal, nor a union of literals`);
  };

  return classes.map(({ path, found }) => {
    const name = found.id?.name ?? "";
    const code = found.body.body.find((each) => each.type === "PropertyDefinition" && keyName(each.key) === "code");
    const codes =
      code?.type !== "PropertyDefinition"
        ? []
        : code.value?.type === "Literal"
          ? [String(code.value.value)]
          : literals(code.typeAnnotation?.typeAnnotation, `${path}: ${name}`);
    return { name, path, codes: codes.toSorted() };
  });
}

const keyName = (key: { readonly type: string; readonly name?: unknown; readonly value?: unknown }) =>
  key.type === "Identifier" ? String(key.name) : key.type === "Literal" ? String(key.value) : undefined;

const nameOf = (name: { readonly type: string; readonly name?: unknown }) =>
  name.type === "Identifier" ? String(name.name) : undefined;
