/**
 * What the clients do, and what each step must answer. A step is a word that every client program understands, with its arguments
 * (`docs/reference/sdk-conformance.md` lists them); a client prints the answer, or `refused CODE MESSAGE`.
 */
type Step = readonly [call: string, answer: string];

/** What is left in the object when the client has ended. */
export interface Outcome {
  /** Undefined when the game is over and the object is gone. */
  readonly state: string | undefined;
  readonly counters?: Readonly<Record<string, { readonly count: number; readonly capacity: number }>>;
  readonly lists?: Readonly<Record<string, { readonly capacity: number; readonly values: readonly string[] }>>;
}

export interface Sequence {
  readonly steps: readonly Step[];
  /** The requests that the SDK server records, as its `--test` takes them. */
  readonly recorded: string;
  readonly outcome: Outcome;
}

/** The GameServer of a sequence, as it stands when its client starts. */
export interface Subject {
  readonly name: string;
  readonly uid: string;
  /** In seconds since 1970. */
  readonly created: number;
}

export const SEQUENCE_NAMES = ["life", "reservation", "counters", "lists", "players", "gateway"] as const;
export type SequenceName = (typeof SEQUENCE_NAMES)[number];

const LABEL_FAULT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

export const SEQUENCES: Readonly<Record<SequenceName, (subject: Subject) => Sequence>> = {
  life: ({ name, uid, created }) => ({
    steps: [
      ["gameserver", name],
      ["watch", uid],
      ["ready", "ok"],
      ["state Ready", "Ready"],
      ["reserve 5", "ok"],
      ["state Reserved", "Reserved"],
      ["allocate", "ok"],
      ["state Allocated", "Allocated"],
      ["watched Allocated", "Allocated"],
      ["health", "ok"],
      ["timestamp-label", String(created)],
      ["uid-annotation", uid],
      ["label mode no/path", `refused 3 invalid label value "no/path" for key "mode": ${LABEL_FAULT}`],
      ["shutdown", "ok"],
    ],
    recorded: "gameserver,watch,ready,reserve,allocate,health,setlabel,setannotation,shutdown",
    outcome: { state: undefined },
  }),
  reservation: ({ name }) => ({
    steps: [
      ["gameserver", name],
      ["reserve 1", "ok"],
      ["state Reserved", "Reserved"],
      ["state Ready", "Ready"],
    ],
    recorded: "gameserver,reserve,ready",
    outcome: { state: "Ready" },
  }),
  counters: ({ name }) => ({
    steps: [
      ["gameserver", name],
      ["ready", "ok"],
      ["count rooms", "1"],
      ["increment rooms 9", "ok"],
      ["count rooms", "10"],
      [
        "increment rooms 1",
        "refused 2 out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10",
      ],
      ["decrement rooms 10", "ok"],
      ["count rooms", "0"],
      ["set-count rooms 10", "ok"],
      ["capacity rooms", "10"],
      ["set-capacity rooms 1", "ok"],
      ["capacity rooms", "1"],
      ["count rooms", "1"],
      ["count none", "refused 2 counter not found: none"],
      ["increment none 1", "refused 2 counter not found: none"],
    ],
    recorded: "gameserver,ready,getcounter,updatecounter,setcountcounter,setcapacitycounter",
    outcome: { state: "Ready", counters: { rooms: { count: 1, capacity: 1 } } },
  }),
  lists: ({ name }) => ({
    steps: [
      ["gameserver", name],
      ["ready", "ok"],
      ["contains players test1", "true"],
      ["contains players foo", "false"],
      ["length players", "3"],
      ["values players", "test0,test1,test2"],
      ["append players test3", "ok"],
      ["append players test0", "refused 2 already exists. Value: test0 already in List: players"],
      ["values players", "test0,test1,test2,test3"],
      ["delete players test2", "ok"],
      ["delete players test2", "refused 2 not found: value test2 not in list players"],
      ["values players", "test0,test1,test3"],
      ["list-capacity players", "100"],
      ["set-list-capacity players 2", "ok"],
      ["list-capacity players", "2"],
      ["values players", "test0,test1"],
      ["values none", "refused 2 list not found: none"],
    ],
    recorded: "gameserver,ready,getlist,updatelist,addlistvalue,removelistvalue",
    outcome: { state: "Ready", lists: { players: { capacity: 2, values: ["test0", "test1"] } } },
  }),
  players: ({ name }) => ({
    steps: [
      ["gameserver", name],
      ["ready", "ok"],
      ["set-player-capacity 10", "ok"],
      ["player-capacity", "10"],
      ["player-connect 1234", "true"],
      ["player-connected 1234", "true"],
      ["players", "1234"],
      ["player-connect 1234", "false"],
      ["player-disconnect 1234", "true"],
      ["player-connected 1234", "false"],
      ["player-count", "0"],
    ],
    recorded: `gameserver,ready,setplayercapacity,getplayercapacity,playerconnect,isplayerconnected,getconnectedplayers,playerdisconnect,getplayercount`,
    outcome: { state: "Ready" },
  }),
  // What only HTTP has.
  gateway: ({ name }) => ({
    steps: [
      ["gameserver", name],
      ["ready", "ok"],
      ["state Ready", "Ready"],
      ["frame", "Ready"],
      [
        'request PATCH /v1beta1/counters/rooms {"countDiff":"-1","capacity":"42"}',
        '200 {"name":"rooms","count":"0","capacity":"42"}',
      ],
      [
        'request PATCH /v1beta1/counters/rooms {"count":"40","capacity":"42"}',
        '200 {"name":"rooms","count":"40","capacity":"42"}',
      ],
      [
        'request PATCH /v1beta1/lists/players {"capacity":"10","values":["test123","test456"]}',
        '200 {"name":"players","capacity":"10","values":["test123","test456"]}',
      ],
      [
        'request POST /v1beta1/lists/players:addValue {"value":"test789"}',
        '200 {"name":"players","capacity":"10","values":["test123","test456","test789"]}',
      ],
      [
        'request POST /v1beta1/lists/players:removeValue {"value":"test456"}',
        '200 {"name":"players","capacity":"10","values":["test123","test789"]}',
      ],
      ["request GET /nowhere", '404 {"code":5,"message":"Not Found","details":[]}'],
      ["request GET /ready", '501 {"code":12,"message":"Method Not Allowed","details":[]}'],
      ["request POST /reserve", "200 {}"],
      ["state Reserved", "Reserved"],
      ["frame", "Reserved"],
    ],
    recorded:
      "gameserver,ready,watch,updatecounter,setcountcounter,setcapacitycounter,updatelist,addlistvalue,removelistvalue,reserve",
    outcome: {
      state: "Reserved",
      counters: { rooms: { count: 40, capacity: 42 } },
      lists: { players: { capacity: 10, values: ["test123", "test789"] } },
    },
  }),
};
