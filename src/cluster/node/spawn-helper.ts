/**
 * A process that only starts others, for the node agent that started it and ends with that agent; what it has started goes on.
 * Spoken to over the channel to its parent: `StartMessage` in, `HelperMessage` out.
 */
import { SpawnError } from "./process-host.ts";
import { type ProcessExit, type StartedProcess, type StartRequest, startProcess } from "./start-process.ts";

export interface StartMessage {
  readonly id: number;
  readonly request: StartRequest;
}

export type HelperMessage =
  /** It serves from now on. */
  | "up"
  | { readonly id: number; readonly identity: StartedProcess["identity"] }
  | { readonly id: number; readonly refused: string }
  | { readonly id: number; readonly exit: ProcessExit | undefined };

async function serve({ id, request }: StartMessage, tell: (message: HelperMessage) => void): Promise<void> {
  try {
    const { identity, exited } = await startProcess(request);
    tell({ id, identity });
    tell({ id, exit: await exited });
  } catch (error) {
    tell({ id, refused: error instanceof SpawnError ? error.message : String(error) });
  }
}

if (process.send) {
  process.on("message", (message: StartMessage) => {
    void serve(message, (answer) => void (process.connected && process.send?.(answer)));
  });
  process.once("disconnect", () => process.exit());
  process.send("up" satisfies HelperMessage);
}
