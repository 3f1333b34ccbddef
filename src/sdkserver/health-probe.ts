/** What whoever runs the containers asks: whether the SDK server lives, and whether the game does. */
import type { GameServerSession } from "./game-server-session.ts";

export interface ProbeAnswer {
  readonly status: number;
  readonly body: string;
}

/** `/healthz`: 200. `/gshealthz`: 200, or 500 while the game's health fails. Anything else: 404. */
export function answerProbe(session: Pick<GameServerSession, "probe">, path: string): ProbeAnswer {
  if (path === "/healthz") return { status: 200, body: "ok" };
  if (path !== "/gshealthz") return { status: 404, body: "404 page not found\n" };
  return session.probe() ? { status: 200, body: "ok" } : { status: 500, body: "" };
}
