/** What each program is told: the declarations behind its flags, its variables, its `--help` and the reference page. */
import { CONTROLLER, EXTENSIONS, PING } from "./settings-kubernetes.ts";
import { CONTROL_PLANE, NODE_AGENT } from "./settings-one-machine.ts";
import { SDK_SERVER } from "./settings-sdk-server.ts";

/** All programs that take settings, in the order of the reference page. */
export const PROGRAMS = [CONTROL_PLANE, CONTROLLER, EXTENSIONS, NODE_AGENT, PING, SDK_SERVER] as const;
