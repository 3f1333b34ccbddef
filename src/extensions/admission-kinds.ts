/** What admission does to each kind. */
import type { CloudProduct } from "#api/agones/cloud-product/cloud-product.ts";
import { fillPassthroughPorts } from "#api/agones/cloud-product/passthrough-ports.ts";
import { GROUP } from "#api/agones/constants.ts";
import { defaultFleet, defaultGameServer } from "#api/agones/defaults.ts";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import { type Fleet, FleetSpec, GameServerSetSpec } from "#api/agones/fleet.ts";
import { type GameServer, GameServerSpec, GameServerStatus } from "#api/agones/gameserver.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import { validateFleet } from "#api/agones/validate-fleet.ts";
import { validateGameServer } from "#api/agones/validate-gameserver.ts";
import { validateGameServerSet, validateGameServerSetUpdate } from "#api/agones/validate-gameserverset.ts";
import { gameServerWarnings } from "#api/agones/warnings.ts";
import { canonicalTimes, defaultFleetAutoscaler, ScheduleTimeError } from "#api/autoscaling/defaults.ts";
import { AUTOSCALING_GROUP, type FleetAutoscaler, FleetAutoscalerSpec } from "#api/autoscaling/fleetautoscaler.ts";
import { FLEETAUTOSCALERS } from "#api/autoscaling/resources.ts";
import { validateFleetAutoscaler } from "#api/autoscaling/validate.ts";
import type { Pod } from "#api/core/pod.ts";
import type { AdmissionOperation } from "#api/meta/admission.ts";
import type { FieldError } from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { type Clock, systemClock } from "#runtime/clock.ts";
import { createReader, DecodeError, type Reader } from "./admission-decode.ts";

export interface AgonesAdmissionOptions {
  readonly gates: FeatureGates;
  /** Stadion's version, stamped on what is created. */
  readonly version: string;
  /** Default `generic`. */
  readonly product?: CloudProduct;
  /** Says when a schedule has ended. */
  readonly clock?: Clock;
}

export interface KindAdmission {
  readonly group: string;
  /** Plural name. */
  readonly resource: string;
  readonly mutated: readonly AdmissionOperation[];
  readonly validated: readonly AdmissionOperation[];
  /** The object with canonical quantities. This and the checks throw `DecodeError`. */
  readonly read: (json: JsonObject) => JsonObject;
  /** Fills in what an object leaves unsaid. */
  readonly complete: (object: JsonObject, operation: AdmissionOperation) => JsonObject;
  readonly createFaults: (object: JsonObject) => readonly FieldError[];
  readonly updateFaults: (object: JsonObject, before: JsonObject) => readonly FieldError[];
  /** What is told of an object without faults. */
  readonly warnings?: (object: JsonObject) => readonly string[];
}

/** By kind and group, as `kindKey` puts them. */
export function createKinds(options: AgonesAdmissionOptions): ReadonlyMap<string, KindAdmission> {
  const kinds = { ...agonesKinds(options), FleetAutoscaler: autoscalerKind(options), Pod: podKind };
  return new Map(Object.entries(kinds).map(([kind, admission]) => [kindKey({ ...admission, kind }), admission]));
}

export const kindKey = ({ kind, group }: { readonly kind: string; readonly group: string }): string =>
  `${kind}.${group}`;

type Kinds = Readonly<Record<string, KindAdmission>>;

function agonesKinds({ gates, version, product }: AgonesAdmissionOptions): Kinds {
  const readGameServer = createReader(GameServerSpec, GameServerStatus, ["spec", "template"], ["spec"]);
  const readSet = createReader(GameServerSetSpec, undefined, ["spec", "template", "spec", "template"]);
  const readFleet = createReader(FleetSpec, undefined, ["spec", "template", "spec", "template"]);

  const fleetFaults = (json: JsonObject) =>
    validateFleet(FLEETS.decode(readFleet(json, afterSchema("Fleet"))), gates, product);
  const set = (json: JsonObject, prefix: string) => GAMESERVERSETS.decode(readSet(json, prefix));
  return {
    GameServer: {
      group: GROUP,
      resource: GAMESERVERS.plural,
      mutated: ["CREATE"],
      validated: ["CREATE"],
      read: readGameServer,
      complete: (object) => json(defaultGameServer(object as unknown as GameServer, { gates, version })),
      createFaults: (object) =>
        validateGameServer(GAMESERVERS.decode(readGameServer(object, afterSchema("GameServer"))), gates, product),
      updateFaults: () => [],
      // Of those that a Fleet makes, the Fleet has told.
      warnings: (object) => {
        const { metadata, spec } = object as unknown as GameServer;
        return metadata.ownerReferences?.length ? [] : gameServerWarnings(spec, "spec");
      },
    },
    GameServerSet: {
      group: GROUP,
      resource: GAMESERVERSETS.plural,
      mutated: ["CREATE", "UPDATE"],
      validated: ["CREATE", "UPDATE"],
      read: readSet,
      complete: (object) => object,
      createFaults: (object) => validateGameServerSet(set(object, afterSchema("GameServerSet")), gates, product),
      updateFaults: (object, before) =>
        validateGameServerSetUpdate(
          set(before, "error unmarshalling old GameServerSet json: "),
          set(object, "error unmarshalling new GameServerSet json: "),
        ),
    },
    Fleet: {
      group: GROUP,
      resource: FLEETS.plural,
      mutated: ["CREATE", "UPDATE"],
      validated: ["CREATE", "UPDATE"],
      read: readFleet,
      // A Fleet without a spec passes its schema; the checks then say what it lacks.
      complete: (object, operation) =>
        operation === "CREATE" && object.spec ? json(defaultFleet(object as unknown as Fleet, version)) : object,
      createFaults: fleetFaults,
      updateFaults: fleetFaults,
      warnings: (object) => gameServerWarnings((object as unknown as Fleet).spec.template.spec, "spec.template.spec"),
    },
  };
}

function autoscalerKind({ gates, clock = systemClock }: AgonesAdmissionOptions): KindAdmission {
  const readTyped = createReader(FleetAutoscalerSpec, undefined);
  const read: Reader = (object, prefix = "") => {
    try {
      return json(canonicalTimes(readTyped(object, prefix) as unknown as FleetAutoscaler));
    } catch (error) {
      if (!(error instanceof ScheduleTimeError)) throw error;
      throw new DecodeError(`${prefix}${error.message}`, { cause: error });
    }
  };
  const typed = (object: JsonObject) => FLEETAUTOSCALERS.decode(read(object, afterSchema("FleetAutoscaler")));
  /** What was stored may be mended, however it came there. */
  const readable = (object: JsonObject): FleetAutoscaler | undefined => {
    try {
      return typed(object);
    } catch (error) {
      if (error instanceof DecodeError) return undefined;
      throw error;
    }
  };
  return {
    group: AUTOSCALING_GROUP,
    resource: FLEETAUTOSCALERS.plural,
    mutated: ["CREATE", "UPDATE"],
    validated: ["CREATE", "UPDATE"],
    read,
    complete: (object) => json(defaultFleetAutoscaler(object as unknown as FleetAutoscaler)),
    createFaults: (object) => validateFleetAutoscaler(typed(object), { gates, now: clock.now() }),
    updateFaults: (object, before) =>
      validateFleetAutoscaler(typed(object), { gates, now: clock.now(), before: readable(before) }),
  };
}

/** Pods that Autopilot has given host ports; others are left alone. */
const podKind: KindAdmission = {
  group: "",
  resource: "pods",
  mutated: ["CREATE"],
  validated: [],
  read: (object) => object,
  complete: (object) => json(fillPassthroughPorts(object as unknown as Pod)),
  createFaults: () => [],
  updateFaults: () => [],
};

const afterSchema = (kind: string): string => `error unmarshalling ${kind} json after schema validation: `;
const json = (object: GameServer | Fleet | FleetAutoscaler | Pod): JsonObject => object as unknown as JsonObject;
