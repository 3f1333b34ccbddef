/** What the SDK server of one game server is told: its container's environment and arguments. */
import { type FeatureGates, parseFeatureGates } from "#api/agones/feature-gates.ts";
import { parseDuration } from "#api/meta/duration.ts";

export interface SdkServerSettings {
  readonly namespace: string;
  readonly name: string;
  /** Least time between two writes, in milliseconds. Default 500. */
  readonly intervalMs: number;
  readonly gates: FeatureGates;
  readonly logLevel: string;
}

const DEFAULT_RATE_LIMIT = "500ms";

/**
 * A flag (`--name=value`) goes before its variable, the variable before the default; flags of other modes are ignored.
 * `REQUESTS_RATE_LIMIT` is what controllers set, `REQUEST_RATE_LIMIT` what the documentation says: both are read.
 * Throws `DurationError` or `FeatureGateError` for a value that cannot be taken, `TypeError` when nothing names the game server.
 */
export function settingsOf(environment: Readonly<Record<string, string>>, args: readonly string[]): SdkServerSettings {
  const flags = new Map(
    args.flatMap((arg) => [/^--?([\w-]+)=(.*)$/s.exec(arg)]).map((match) => [match?.[1], match?.[2]]),
  );
  const value = (flag: string, ...variables: readonly string[]): string | undefined =>
    flags.get(flag) ?? variables.map((variable) => environment[variable]).find((found) => found !== undefined);
  const name = value("gameserver-name", "GAMESERVER_NAME") ?? "";
  const namespace = value("pod-namespace", "POD_NAMESPACE") ?? "";
  if (!name || !namespace) throw new TypeError("GAMESERVER_NAME and POD_NAMESPACE must name the game server to serve");
  return {
    name,
    namespace,
    intervalMs: parseDuration(
      value("request-rate-limit", "REQUEST_RATE_LIMIT", "REQUESTS_RATE_LIMIT") || DEFAULT_RATE_LIMIT,
    ),
    gates: parseFeatureGates(value("feature-gates", "FEATURE_GATES") ?? ""),
    logLevel: value("log-level", "LOG_LEVEL") ?? "Info",
  };
}
