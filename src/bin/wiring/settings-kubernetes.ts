/** What the programs of a Kubernetes cluster are told. */
import { boolean, duration, integer, number, oneOf, port, quantity, text } from "#runtime/config.ts";
import { commonSettings } from "./settings-common.ts";
import { SIDECAR_IMAGE } from "./sidecar-image.ts";

const NO_EFFECT = "known so that an Agones installation starts unchanged; it has no effect";

const cloudProduct = {
  "cloud-product": oneOf(["auto", "generic", "gke-autopilot"], {
    default: "auto",
    help: "whose Kubernetes this is; auto finds out by the cluster's nodes and webhooks",
  }),
};

/** Of every program that runs in a Kubernetes cluster. */
export const kubernetesSettings = {
  "http-port": port({ default: 8080, help: "where /live, /ready and /metrics are answered" }),
  kubeconfig: text({
    default: "",
    help: "how the cluster is reached, several files joined by colons; by default as the pod's service account",
  }),
  "api-server-qps": integer({
    default: 100,
    min: 1,
    help: "requests to the API server in a second, over a longer time",
  }),
  "api-server-qps-burst": integer({ default: 200, min: 1, help: "requests to the API server that may come at once" }),
  "prometheus-exporter": boolean({ default: true, help: "whether /metrics answers" }),
  "stackdriver-exporter": boolean({ default: false, help: NO_EFFECT }),
  "stackdriver-labels": text({ default: "", help: NO_EFFECT }),
  "gcp-project-id": text({ default: "", help: NO_EFFECT }),
  "log-dir": text({ default: "", help: NO_EFFECT }),
  "log-size-limit-mb": integer({ default: 10_000, min: 0, help: NO_EFFECT }),
  ...commonSettings,
};

const sidecarQuantity = (what: string) =>
  quantity({ default: undefined, help: `${what} of the SDK server's container; none by default` });

export const CONTROLLER = {
  name: "controller",
  about:
    "The controllers of a Kubernetes cluster. Any number of them may run side by side with leader election: one leads.",
  options: {
    "min-port": port({ default: 0, help: "first host port for game servers; required" }),
    "max-port": port({ default: 0, help: "last host port for game servers; required" }),
    "additional-port-ranges": text({ default: "", help: 'named ranges as JSON, such as {"game":[9000,9100]}' }),
    "num-workers": integer({ default: 64, min: 1, help: "workers of each controller" }),
    "max-creation-parallelism": integer({
      default: 16,
      min: 1,
      help: "creations of a GameServerSet under way at once",
    }),
    "max-game-server-creations-per-batch": integer({
      default: 64,
      min: 1,
      help: "servers that a GameServerSet makes in one go",
    }),
    "max-deletion-parallelism": integer({
      default: 64,
      min: 1,
      help: "deletions of a GameServerSet under way at once",
    }),
    "max-game-server-deletions-per-batch": integer({
      default: 64,
      min: 1,
      help: "servers that a GameServerSet takes away in one go",
    }),
    "max-pod-pending-count": integer({
      default: 5000,
      min: 1,
      help: "servers of a GameServerSet on their way to Ready",
    }),
    "sidecar-image": text({ default: SIDECAR_IMAGE, help: "the image of the SDK server's container" }),
    "sidecar-cpu-request": sidecarQuantity("the CPU request"),
    "sidecar-cpu-limit": sidecarQuantity("the CPU limit"),
    "sidecar-memory-request": sidecarQuantity("the memory request"),
    "sidecar-memory-limit": sidecarQuantity("the memory limit"),
    "sidecar-run-as-user": integer({ default: 1000, min: 0, help: "the user that the SDK server's container runs as" }),
    "sidecar-requests-rate-limit": duration({ default: 500, help: "the pause between two writes of an SDK server" }),
    "always-pull-sidecar": boolean({ default: false, help: "whether the SDK server's image is pulled at every start" }),
    "sdk-service-account": text({
      default: "agones-sdk",
      help: "the service account of Pods whose template names none",
    }),
    "leader-election": boolean({
      default: false,
      help: "whether to wait for the lease and lead by it; without it there may be one controller only",
    }),
    "pod-namespace": text({ default: "agones-system", help: "the namespace of the lease" }),
    "cert-file": text({ default: "", help: NO_EFFECT }),
    "key-file": text({ default: "", help: NO_EFFECT }),
    "allocation-batch-wait-time": duration({ default: 500, help: NO_EFFECT }),
    ...cloudProduct,
    ...kubernetesSettings,
  },
};

export const EXTENSIONS = {
  name: "extensions",
  about:
    "Admission and the allocation API for a Kubernetes cluster, over HTTPS. Any number of them may run side by side.",
  options: {
    "webhook-port": port({ default: 8081, help: "where admission and the allocation API are served, over HTTPS" }),
    "cert-file": text({
      default: "/certs/server.crt",
      help: "the HTTPS server's certificate, PEM; read again when it changes",
    }),
    "key-file": text({ default: "/certs/server.key", help: "its key" }),
    "num-workers": integer({ default: 64, min: 1, help: "requests to the API server under way at once" }),
    "readiness-shutdown-duration": duration({
      default: 0,
      help: "how long requests are still answered after being told to stop, while readiness fails",
    }),
    "allocation-batch-wait-time": duration({ default: 500, help: NO_EFFECT }),
    "processor-grpc-address": text({ default: "", help: NO_EFFECT }),
    "processor-grpc-port": port({ default: 9090, help: NO_EFFECT }),
    "processor-max-batch-size": integer({ default: 100, min: 1, help: NO_EFFECT }),
    ...cloudProduct,
    ...kubernetesSettings,
  },
};

export const PING = {
  name: "ping",
  about: "Answers over HTTP and UDP, so that a game client can measure how far away a cluster is.",
  options: {
    "http-response": text({ default: "ok", help: "the text that every HTTP request is answered with" }),
    "udp-rate-limit": number({
      default: 20,
      help: "datagrams a second that one sender gets back; less than 1 answers none",
    }),
    "http-port": port({ default: 8080, help: "where HTTP is answered, /live too" }),
    "udp-port": port({ default: 8080, help: "where datagrams are answered" }),
    ...commonSettings,
  },
};
