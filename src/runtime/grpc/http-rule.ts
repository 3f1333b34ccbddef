/** Routes of a service, read from the `google.api.http` options of its methods. */
import { type DescMethod, type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "#proto/gen/google/api/annotations_pb.ts";
import type { HttpRule } from "#proto/gen/google/api/http_pb.ts";

export interface Route {
  readonly method: DescMethod;
  readonly verb: string;
  /** The request field the body fills: `*` all of it, absent none. */
  readonly body: string | undefined;
  readonly template: PathTemplate;
}

export type Match =
  | { readonly kind: "found"; readonly route: Route; readonly variables: ReadonlyMap<string, string> }
  | { readonly kind: "wrong-verb"; readonly routes: readonly Route[] }
  | { readonly kind: "unknown" };

/** A path template with variables of one segment each, such as `/v1beta1/lists/{list.name}:addValue`. */
class PathTemplate {
  readonly #segments: readonly { readonly variable: boolean; readonly text: string }[];
  readonly #action: string;

  constructor(template: string) {
    const [, path = "", action = ""] = /^\/(.*?)(:[^:/{}]+)?$/.exec(template) ?? [];
    this.#action = action;
    this.#segments = path.split("/").map((text) => {
      const variable = /^\{([\w.]+)\}$/.exec(text)?.[1];
      if (variable === undefined && /[{}*]/.test(text)) throw new TypeError(`unsupported path template ${template}`);
      return variable === undefined ? { variable: false, text } : { variable: true, text: variable };
    });
  }

  /** The variables of a decoded path that fits, or `undefined`. */
  match(path: string): ReadonlyMap<string, string> | undefined {
    if (!path.startsWith("/") || !path.endsWith(this.#action)) return undefined;
    const given = path.slice(1, path.length - this.#action.length).split("/");
    if (given.length !== this.#segments.length) return undefined;
    const variables = new Map<string, string>();
    for (const [index, { variable, text }] of this.#segments.entries()) {
      const segment = given[index] ?? "";
      if (variable && segment !== "") variables.set(text, segment);
      else if (variable || segment !== text) return undefined;
    }
    return variables;
  }
}

export class Router {
  readonly #routes: readonly Route[];

  constructor(services: readonly DescService[]) {
    this.#routes = services.flatMap(({ methods }) => methods.flatMap(routesOf));
  }

  /** `path` is percent-decoded. A path that fits, but not for this verb, is told apart from one that fits nothing. */
  match(verb: string, path: string): Match {
    const fitting: Route[] = [];
    for (const route of this.#routes) {
      const variables = route.template.match(path);
      if (!variables) continue;
      if (route.verb === verb) return { kind: "found", route, variables };
      fitting.push(route);
    }
    return fitting.length ? { kind: "wrong-verb", routes: fitting } : { kind: "unknown" };
  }
}

function routesOf(method: DescMethod): Route[] {
  if (!hasOption(method, http)) return [];
  const rule = getOption(method, http);
  return [rule, ...rule.additionalBindings].flatMap((binding) => routeOf(method, binding));
}

function routeOf(method: DescMethod, { pattern, body }: HttpRule): Route[] {
  if (pattern.case === undefined || pattern.case === "custom") return [];
  return [
    { method, verb: pattern.case.toUpperCase(), body: body || undefined, template: new PathTemplate(pattern.value) },
  ];
}
