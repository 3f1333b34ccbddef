/** What counts as a URL in a FleetAutoscaler: RFC 3986 references, taken as leniently as Agones takes them. */

/** Whether the text can be read as a URL, an absolute or a relative one; nothing is said of whether it leads anywhere. */
export function isUrlReference(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be in it
  if (/[\x00-\x1f\x7f]/.test(text)) return false;
  const [, beforeFragment = "", fragment = ""] = /^([^#]*)(?:#(.*))?$/s.exec(text) ?? [];
  if (!hasValidEscapes(fragment)) return false;
  if (beforeFragment === "*") return true;
  const [, scheme, rest = ""] = /^(?:([A-Za-z][-A-Za-z0-9+.]*):)?(.*)$/s.exec(beforeFragment) ?? [];
  const hierarchical = rest.split("?", 1)[0] ?? "";
  if (scheme !== undefined && !hierarchical.startsWith("/")) return true;
  if (scheme === undefined && /^[^/]*:/.test(hierarchical)) return false;
  const hasAuthority = hierarchical.startsWith("//") && (scheme !== undefined || !hierarchical.startsWith("///"));
  if (!hasAuthority) return hasValidEscapes(hierarchical);
  const [, authority = "", path = ""] = /^\/\/([^/]*)(.*)$/s.exec(hierarchical) ?? [];
  return isAuthority(authority) && hasValidEscapes(path);
}

const hasValidEscapes = (text: string): boolean => !/%(?![0-9A-Fa-f]{2})/.test(text);

/** `user:password@host:port`; only the host is required, and it may be empty. */
function isAuthority(text: string): boolean {
  const at = text.lastIndexOf("@");
  const user = text.slice(0, Math.max(at, 0));
  const host = text.slice(at + 1);
  return /^[-A-Za-z0-9._:~!$&'()*+,;=%@]*$/.test(user) && hasValidEscapes(user) && isHost(host);
}

function isHost(text: string): boolean {
  const literal = /^\[([^\]]*)\](.*)$/s.exec(text);
  if (literal) {
    const [, address = "", port = ""] = literal;
    return isPort(port) && /^[^\s%]*(%25.*)?$/s.test(address);
  }
  if (text.startsWith("[")) return false;
  const colon = text.lastIndexOf(":");
  const name = colon < 0 ? text : text.slice(0, colon);
  // An escape in a host stands for a byte beyond ASCII, or for the percent sign itself.
  return !/[\s^`{|}\\]|%(?!25|[89A-Fa-f][0-9A-Fa-f])/.test(name) && (colon < 0 || isPort(text.slice(colon)));
}

const isPort = (text: string): boolean => text === "" || /^:\d*$/.test(text);
