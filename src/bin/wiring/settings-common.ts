/** Settings that several programs share. */
import { oneOf, text } from "#runtime/config.ts";

export const commonSettings = {
  "feature-gates": text({
    default: "",
    help: "gates as a URL query, such as PlayerTracking=true&CountsAndLists=false",
  }),
  "log-level": oneOf(["trace", "debug", "info", "warn", "error"], {
    default: "info",
    help: "least severity that is logged",
  }),
};
