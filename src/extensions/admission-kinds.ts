/** What admission does to each kind of agones.dev. */
import { defaultFleet, defaultGameServer } from "#api/agones/defaults.ts";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import { type Fleet, FleetSpec, FleetStatus, GameServerSetSpec, GameServerSetStatus } from "#api/agones/fleet.ts";
import { type GameServer, GameServerSpec, GameServerStatus } from "#api/agones/gameserver.ts";
import { FLEETS, GAMESERVERS, GAMESERVERSETS } from "#api/agones/resources.ts";
import { validateFleet } from "#api/agones/validate-fleet.ts";
import { validateGameServer } from "#api/agones/validate-gameserver.ts";
import { validateGameServerSet, validateGameServerSetUpdate } from "#api/agones/validate-gameserverset.ts";
import type { AdmissionOperation } from "#api/meta/admission.ts";
import type { FieldError } from "#api/meta/field.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { createReader } from "./admission-decode.ts";

export interface AgonesAdmissionOptions {
  readonly gates: FeatureGates;
  /** Stadion's version, stamped on what is created. */
  readonly version: string;
}

export interface KindAdmission {
  /** Plural name. */
  readonly resource: string;
  readonly mutated: readonly AdmissionOperation[];
  readonly validated: readonly AdmissionOperation[];
  /** The object with canonical quantities. This and the checks throw `DecodeError`. */
  readonly read: (json: JsonObject) => JsonObject;
  /** Fills in what a new object leaves unsaid. */
  readonly complete: (object: JsonObject) => JsonObject;
  readonly createFaults: (object: JsonObject) => readonly FieldError[];
  readonly updateFaults: (object: JsonObject, before: JsonObject) => readonly FieldError[];
}

/** By kind. */
export function createKinds({ gates, version }: AgonesAdmissionOptions): ReadonlyMap<string, KindAdmission> {
  const readGameServer = createReader(GameServerSpec, GameServerStatus, ["spec", "template"], ["spec"]);
  const readSet = createReader(GameServerSetSpec, GameServerSetStatus, ["spec", "template", "spec", "template"]);
  const readFleet = createReader(FleetSpec, FleetStatus, ["spec", "template", "spec", "template"]);

  const fleetFaults = (json: JsonObject) => validateFleet(FLEETS.decode(readFleet(json, afterSchema("Fleet"))), gates);
  const set = (json: JsonObject, prefix: string) => GAMESERVERSETS.decode(readSet(json, prefix));
  return new Map<string, KindAdmission>([
    [
      "GameServer",
      {
        resource: GAMESERVERS.plural,
        mutated: ["CREATE"],
        validated: ["CREATE"],
        read: readGameServer,
        complete: (object) => json(defaultGameServer(object as unknown as GameServer, { gates, version })),
        createFaults: (object) =>
          validateGameServer(GAMESERVERS.decode(readGameServer(object, afterSchema("GameServer"))), gates),
        updateFaults: () => [],
      },
    ],
    [
      "GameServerSet",
      {
        resource: GAMESERVERSETS.plural,
        mutated: ["CREATE", "UPDATE"],
        validated: ["CREATE", "UPDATE"],
        read: readSet,
        complete: (object) => object,
        createFaults: (object) => validateGameServerSet(set(object, afterSchema("GameServerSet")), gates),
        updateFaults: (object, before) =>
          validateGameServerSetUpdate(
            set(before, "error unmarshalling old GameServerSet json: "),
            set(object, "error unmarshalling new GameServerSet json: "),
          ),
      },
    ],
    [
      "Fleet",
      {
        resource: FLEETS.plural,
        mutated: ["CREATE", "UPDATE"],
        validated: ["CREATE", "UPDATE"],
        read: readFleet,
        // A Fleet without a spec passes its schema; the checks then say what it lacks.
        complete: (object) => (object.spec ? json(defaultFleet(object as unknown as Fleet, version)) : object),
        createFaults: fleetFaults,
        updateFaults: fleetFaults,
      },
    ],
  ]);
}

const afterSchema = (kind: string): string => `error unmarshalling ${kind} json after schema validation: `;
const json = (object: GameServer | Fleet): JsonObject => object as unknown as JsonObject;
