import { boolean, duration, integer, port, text } from "#runtime/config.ts";
import { commonSettings } from "./settings-common.ts";

/** How the SDK server is started beside a game (`LOG_LEVEL` and the rest come from the Pod); a desk needs `--local` alone. */
export const SDK_SERVER = {
  name: "sdk-server",
  about:
    "The SDK server of one game server: beside the game in its Pod, or, with --local, on a developer's desk without a cluster.",
  options: {
    "gameserver-name": text({ default: "", help: "the GameServer to serve; in a cluster" }),
    "pod-namespace": text({ default: "", help: "its namespace; in a cluster" }),
    kubeconfig: text({
      default: "",
      help: "how the cluster is reached, files joined by : for several; by default as the pod's service account",
    }),
    "graceful-termination": boolean({
      default: true,
      help: "whether, without sidecar containers, it serves on after being told to end, until the game has asked for Shutdown",
    }),
    "request-rate-limit": duration({
      default: undefined,
      help: "the pause between two writes to the API server; 500ms by default",
    }),
    "requests-rate-limit": duration({
      default: undefined,
      help: "the same, as Agones' controllers spell it; --request-rate-limit wins when both are given",
    }),
    "health-port": port({ default: 8080, help: "where /healthz and /gshealthz are answered; in a cluster" }),
    "state-file": text({
      default: "",
      help: "keeps what waits to be written for the next start, such as a file on an emptyDir; by default nothing is kept",
    }),
    local: boolean({ default: false, help: "whether to serve a GameServer of its own, without a cluster" }),
    file: text({
      default: "",
      letter: "f",
      help: "that GameServer, YAML or JSON; read again when it changes; with --local",
    }),
    test: text({
      default: "",
      help: "requests that a client is expected to make, joined by commas; as --local, and at the end the exit code says whether they came",
    }),
    "sdk-name": text({ default: "", help: "the client, as each line of the log names it; with --local or --test" }),
    timeout: integer({ default: 0, min: 0, help: "seconds until it ends, 0 for never; with --local or --test" }),
    delay: integer({ default: 0, min: 0, help: "seconds that it waits before it does anything" }),
    address: text({
      default: "localhost",
      mayBeEmpty: true,
      help: "where games reach it; an empty text stands for all interfaces",
    }),
    "grpc-port": port({ default: 9357, help: "the port for gRPC" }),
    "http-port": port({ default: 9358, help: "the port for REST" }),
    ...commonSettings,
    "log-level": text({
      default: "info",
      help: "least severity that is logged: trace, debug, info, warn, error, in any case",
    }),
  },
};
