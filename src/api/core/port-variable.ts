/** The environment variable that holds the host port of the port called `name`: `game-udp` is `STADION_PORT_GAME_UDP`. */
export function portVariable(name: string): string {
  return `STADION_PORT_${name.toUpperCase().replaceAll("-", "_")}`;
}
