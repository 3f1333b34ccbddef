/** FleetAutoscalers for tests. */
import type { FleetAutoscaler, FleetAutoscalerSpec } from "./fleetautoscaler.ts";
import type { FleetAutoscalerPolicy } from "./policy.ts";

/** The time in tests. */
export const NOW = Date.UTC(2030, 0, 1);

/** A certificate that nobody trusts, in PEM, in base64. */
export const CA_BUNDLE =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJkVENDQVJ1Z0F3SUJBZ0lVSWhBTXZLNW1wVlRoOEVTZWNvZWRITG8veUVBd0NnWUlLb1pJemowRUF3SXcKRHpFTk1Bc0dBMVVFQXd3RWRHVnpkREFnRncweU5qRXhNekF3T0RJMU5UZGFHQTh5TVRJMk1URXdOakE0TWpVMQpOMW93RHpFTk1Bc0dBMVVFQXd3RWRHVnpkREJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSEEwSUFCQTB0CnM2N3N6VjFoTTB0RXFXMUlOOVl2T3hFZll2Ump5MVNmRE45QWF6STFMNjc0NzMwUjFCa0F0Z3Z5ZklDUXZGYjQKNDJNb3UvMktGRUZqeDNqOWNpbWpVekJSTUIwR0ExVWREZ1FXQkJUMkJDNjVpVlN1QlBDcmR1RWl4SmZyWDVnNAplakFmQmdOVkhTTUVHREFXZ0JUMkJDNjVpVlN1QlBDcmR1RWl4SmZyWDVnNGVqQVBCZ05WSFJNQkFmOEVCVEFECkFRSC9NQW9HQ0NxR1NNNDlCQU1DQTBnQU1FVUNJRFQwb0JZRHY2Y3F1Nzh5MW96TXc5RnZxT0ZycmQraDVHSzEKZzhuUDdUbEJBaUVBN1MwQ3JkbXJhaWlFc3R2em83MDFsNlpGUk9zWG1keTR3RHZyZzAzVTU4dz0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=";

export function autoscaler(
  policy: Partial<FleetAutoscalerPolicy>,
  spec: Partial<FleetAutoscalerSpec> = {},
): FleetAutoscaler {
  return {
    apiVersion: "autoscaling.agones.dev/v1",
    kind: "FleetAutoscaler",
    metadata: { name: "duel-fas", namespace: "games" },
    spec: { fleetName: "duel", policy: policy as FleetAutoscalerPolicy, ...spec },
  };
}

export const buffer: FleetAutoscalerPolicy = { type: "Buffer", buffer: { bufferSize: 3, maxReplicas: 30 } };
