import type { CliErrorCode } from "../errors.ts";
import type { ExampleFleet } from "./example-fleet.ts";

/** What the control plane tells the supervisor that started it, over the channel between them. Each of its lives tells anew. */
export type ControlPlaneMessage =
  /** It serves. */
  | { readonly type: "ready"; readonly address: string }
  /** It never will, and starting it again is of no use. */
  | { readonly type: "refused"; readonly message: string }
  /** The fleet of the quick start is made: no later life need make it. */
  | { readonly type: "made" }
  /** A line for the person. */
  | { readonly type: "said"; readonly line: string }
  /** The node agent knows its game servers, those included that ran before, and the fleet of the quick start is Ready. */
  | { readonly type: "started"; readonly example?: ExampleFleet }
  /** The quick start has failed, or what comes after it. */
  | { readonly type: "failed"; readonly code: CliErrorCode; readonly message: string };
