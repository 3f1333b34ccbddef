import { CUSTOM_RESOURCE_DEFINITIONS } from "#api/core/resources.ts";
import type { Client } from "#kube/client.ts";
import type { Clock } from "#runtime/clock.ts";

const PAUSE_MS = 1000;
const PATIENCE_MS = 60_000;

/** A definition is there and not served after a minute: its condition says why. */
export class DefinitionNotServed extends Error {
  override readonly name = "DefinitionNotServed";
  readonly code = "DefinitionNotServed";
}

/**
 * Resolves when the API server serves all CustomResourceDefinitions. Rejects with `DefinitionNotServed`, at once with what a read fails
 * with (`StatusError` of a definition that is not there), or with the signal's reason.
 */
export async function awaitDefinitions(
  client: Pick<Client, "get">,
  names: readonly string[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const until = clock.monotonic() + PATIENCE_MS;
  for (const name of names) {
    for (;;) {
      const { status } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, "", name);
      const established = status?.conditions?.find(({ type }) => type === "Established");
      if (established?.status === "True") break;
      if (clock.monotonic() >= until)
        throw new DefinitionNotServed(`${name} is not served: ${established?.message ?? "it has no status yet"}`);
      await clock.sleep(PAUSE_MS, signal);
    }
  }
}
