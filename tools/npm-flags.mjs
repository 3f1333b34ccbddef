/** Plain JavaScript for Node 20 and later. */

/** Options of `stadion start` and the one before the command, as npm writes them into its environment. */
const OPTIONS = [
  "data-dir",
  "api-port",
  "node-address",
  "node-cpu",
  "node-memory",
  "game-ports",
  "feature-gates",
  "keep-servers",
  "quick-start",
];

/**
 * Flags of ours that npm took for its own, since no `--` stood before them: `npm start --keep-servers` would start without it.
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {readonly string[]}
 */
export function takenByNpm(env) {
  return OPTIONS.flatMap((option) => {
    const value = env[`npm_config_${option.replaceAll("-", "_")}`];
    if (value === undefined) return [];
    // What npm reads as a negated flag is empty.
    return value === "" ? [`--no-${option}`] : [`--${option}`];
  });
}
