/** The GameServer of local mode in a file that a person writes. */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import type { Tags } from "yaml";
import type { FeatureGates } from "#api/agones/feature-gates.ts";
import type { GameServer } from "#api/agones/gameserver.ts";
import { GAMESERVERS } from "#api/agones/resources.ts";
import { isJsonObject, type JsonValue, parseJson, stringifyJson } from "#api/meta/json.ts";
import { GameServerSchema } from "#proto/gen/agones/dev/sdk/sdk_pb.ts";
import type { Clock } from "#runtime/clock.ts";
import { toSdkGameServer } from "../sdk-message.ts";
import { unknownFields, wrongMember } from "./manifest-faults.ts";

/** A file that no GameServer can be read from. */
export class GameServerFileError extends Error {
  override readonly name = "GameServerFileError";
  readonly code = "GameServerFile";
}

/** Of counters and lists whose manifest gives none. */
const DEFAULT_CAPACITY = 1000n;

/** How often the file is looked at. */
const LOOK_MS = 200;

export interface FileContent {
  readonly gameServer: GameServer;
  /** What is passed over, such as a misspelt field: a sentence for each. */
  readonly faults: readonly string[];
}

/** What is told of a file that is followed. */
export interface FileListener {
  /** It is another than the one read last. */
  readonly changed: () => Promise<void>;
  /** It is away; once, until it has been there again. */
  readonly gone: () => void;
}

export class GameServerFile {
  /** Absolute. */
  readonly path: string;
  readonly #gates: FeatureGates;
  readonly #clock: Clock;
  #seen: string | undefined;

  constructor(path: string, { gates, clock }: { readonly gates: FeatureGates; readonly clock: Clock }) {
    this.path = resolve(path);
    this.#gates = gates;
    this.#clock = clock;
  }

  /** The file's first document, YAML or JSON, without any defaults. Rejects with `GameServerFileError`. */
  async read(): Promise<FileContent> {
    this.#seen = await this.#look();
    let content: string;
    try {
      content = await readFile(this.path, "utf8");
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      const why = code === "ENOENT" ? "Could not find file" : "Could not read file";
      throw new GameServerFileError(`${why}: ${this.path}${code === "ENOENT" ? "" : `: ${message}`}`, { cause });
    }
    try {
      const document = await documentOf(content);
      return { gameServer: gameServerOf(document, this.#gates), faults: unknownFields(document) };
    } catch (cause) {
      throw new GameServerFileError(`${this.path}: ${(cause as Error).message.trimEnd()}`, { cause });
    }
  }

  /**
   * Calls back, until the signal aborts, whenever the file is another than the one read last, or is away, and has stayed so for a
   * moment: however it was written, replaced, or put behind a link.
   */
  async follow({ changed, gone }: FileListener, signal: AbortSignal): Promise<void> {
    let before = this.#seen;
    let isAway = false;
    while (!signal.aborted) {
      await this.#clock.sleep(LOOK_MS, signal).catch(() => {});
      const now = await this.#look();
      // An editor may write in steps; a file that is away for a moment comes back.
      if (now === before && !signal.aborted) {
        if (now === undefined && !isAway) gone();
        isAway = now === undefined;
        if (now !== undefined && now !== this.#seen) {
          this.#seen = now;
          await changed();
        }
      }
      before = now;
    }
  }

  /** What tells two contents apart. */
  async #look(): Promise<string | undefined> {
    try {
      const { dev, ino, size, mtimeMs } = await stat(this.path);
      return [dev, ino, size, mtimeMs].join(" ");
    } catch {
      return undefined;
    }
  }
}

/** Without numbers to the base of sixty, which kubectl does not know: `12:30` is a text. */
const TAGS = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === "string" || !("format" in tag && tag.format === "TIME"));

async function documentOf(content: string): Promise<JsonValue> {
  try {
    return parseJson(content);
  } catch {
    const { parseAllDocuments } = await import("yaml");
    const documents = parseAllDocuments(content, { version: "1.1", intAsBigInt: true, customTags: TAGS });
    const [first] = Array.isArray(documents) ? documents : [];
    const fault = first?.errors[0];
    if (fault) throw fault;
    // Through JSON: whole numbers that a double carries are numbers, longer ones keep their digits.
    return parseJson(stringifyJson(first?.toJS() ?? null));
  }
}

function gameServerOf(document: JsonValue, gates: FeatureGates): GameServer {
  if (!isJsonObject(document)) throw new TypeError("a GameServer must be an object");
  const { kind = "GameServer", metadata = {}, spec = {}, status = {} } = document;
  if (kind !== "GameServer") throw new TypeError(`the file holds a ${String(kind)}, not a GameServer`);
  if (!isJsonObject(metadata) || !isJsonObject(spec) || !isJsonObject(status ?? {}))
    throw new TypeError("metadata, spec and status must be objects");
  const fault = wrongMember(document);
  if (fault !== undefined) throw new TypeError(fault);
  const read = GAMESERVERS.decode({ ...document, kind, metadata, spec, status: status ?? {} });
  const gameServer = { ...read, status: { ...countsOfSpec(read, gates), ...read.status } };
  // A game must be able to read it.
  toBinary(GameServerSchema, create(GameServerSchema, toSdkGameServer(gameServer, gates)));
  return gameServer;
}

/** Counters, lists and players as a new server in a cluster has them; for files that hold a manifest as it would be applied. */
function countsOfSpec({ spec }: GameServer, gates: FeatureGates): NonNullable<GameServer["status"]> {
  const { counters, lists, players } = spec;
  const begun = <T>(given: Readonly<Record<string, T>>, first: T) =>
    Object.fromEntries(Object.entries(given).map(([name, each]) => [name, { ...first, ...each }]));
  return {
    ...(gates.CountsAndLists && counters && { counters: begun(counters, { count: 0n, capacity: DEFAULT_CAPACITY }) }),
    ...(gates.CountsAndLists && lists && { lists: begun(lists, { capacity: DEFAULT_CAPACITY, values: [] }) }),
    ...(gates.PlayerTracking &&
      players && { players: { count: 0n, capacity: players.initialCapacity ?? 0n, ids: [] } }),
  };
}
