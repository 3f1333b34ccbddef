/**
 * Replaces `$(NAME)` by the variable's value, as Kubernetes does in commands, arguments and environment values:
 * `$$` is a plain `$`, so `$$(NAME)` stays `$(NAME)`; a name that is not set is left as it stands.
 */
export function expandVariables(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$(?:\$|\(([^)]*)\))/g, (match: string, name: string | undefined) => {
    if (name === undefined) return "$";
    return Object.hasOwn(variables, name) ? (variables[name] ?? match) : match;
  });
}
