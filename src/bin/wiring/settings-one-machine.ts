/** What the programs of a cluster on one machine are told. */
import { integer, port, quantity, text } from "#runtime/config.ts";
import { commonSettings } from "./settings-common.ts";

export const CONTROL_PLANE = {
  name: "control-plane",
  about:
    "The control plane of a cluster on one machine: API server, store, scheduler, garbage collector, controllers, allocation.",
  options: {
    "data-dir": text({ default: ".stadion", help: "where the cluster keeps its state" }),
    "api-port": port({
      default: 8643,
      help: "where clients reach the API on loopback; 0 chooses one, that of before while it is free",
    }),
    "min-port": port({ default: 7000, help: "first host port for game servers" }),
    "max-port": port({ default: 8000, help: "last host port for game servers" }),
    "quick-start": text({ default: undefined, help: "the manifest of a fleet that is made first" }),
    "num-workers": integer({ default: 64, min: 1, help: "workers of each controller" }),
    ...commonSettings,
  },
};

export const NODE_AGENT = {
  name: "node-agent",
  about: "The node agent of a machine: runs game servers as processes, and their SDK server in itself.",
  options: {
    "data-dir": text({ default: ".stadion", help: "the cluster's data folder" }),
    "node-name": text({ default: undefined, help: "what the node is called; the machine's name by default" }),
    "node-address": text({
      default: undefined,
      help: "a LAN or public address of this machine, or its host name, for game traffic",
    }),
    "node-cpu": quantity({
      default: undefined,
      help: "how much CPU pods may ask for, all of the machine's by default",
    }),
    "node-memory": quantity({
      default: undefined,
      help: "how much memory pods may ask for, all of the machine's by default",
    }),
    ...commonSettings,
  },
};
