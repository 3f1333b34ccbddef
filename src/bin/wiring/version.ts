import packageJson from "../../../package.json" with { type: "json" };

/** Stadion's version. */
export const version: string = packageJson.version;
