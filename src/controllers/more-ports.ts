/** What mends a lack of host ports, after what lacks them; nothing where it is not known what they are set by. */
export const morePorts = (portSetting: string | undefined): string =>
  portSetting === undefined ? "" : `; ${portSetting} gives game servers more host ports`;
