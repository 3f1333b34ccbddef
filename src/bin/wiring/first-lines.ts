import { encodeFeatureGates, type FeatureGates } from "#api/agones/feature-gates.ts";
import { type Quantity, quantityToString } from "#api/meta/quantity.ts";
import type { Logger } from "#runtime/logger.ts";
import { version } from "./version.ts";

/** What a program is told; a quantity is the only setting that is an object. */
type Settings = Readonly<Record<string, unknown>> & { readonly logLevel: string };

/**
 * A program's first lines, those of Agones' programs: what runs, with which gates (all of them), and every setting by the name of its
 * flag. No setting is a secret.
 */
export function tellStart(log: Logger, message: string, config: Settings, gates: FeatureGates): void {
  log.info({ logLevel: config.logLevel }, "Setting LogLevel configuration");
  const ctlConf = Object.fromEntries(Object.entries(config).map(([key, value]) => [flagOf(key), told(value)]));
  log.info({ version, featureGates: encodeFeatureGates(gates), ctlConf }, message);
}

const flagOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const told = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? quantityToString(value as Quantity) : value;
