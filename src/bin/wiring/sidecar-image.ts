import { version } from "./version.ts";

/** The image whose containers run the SDK server beside a game; on a process node the agent serves instead of it. */
export const SIDECAR_IMAGE = `us-docker.pkg.dev/agones-images/release/agones-sdk:${version}`;
