/** The tests that hold each rule of `docs/reference/lives.md`, by file and by a part of their title. */

interface LifeTest {
  /** From the repository's root. */
  readonly file: string;
  readonly title: string;
}

const tests =
  (file: string) =>
  (...titles: readonly string[]): readonly LifeTest[] =>
    titles.map((title) => ({ file, title }));

const rigServers = tests("tests/kubernetes/controllers/servers.test.ts");
const rigFleets = tests("tests/kubernetes/controllers/fleets.test.ts");
const rigFleetsFull = tests("tests/kubernetes/controllers/fleets.full.test.ts");
const rigAutoscalers = tests("tests/kubernetes/controllers/autoscalers.test.ts");
const rigLives = tests("tests/kubernetes/controllers/lives.test.ts");
const rigFailOver = tests("tests/kubernetes/controllers/fail-over.full.test.ts");
const rigExtensions = tests("tests/kubernetes/extensions.test.ts");
const rigTwoExtensions = tests("tests/kubernetes/extensions.full.test.ts");
const gameServer = tests("tests/gameserver.test.ts");
const counts = tests("tests/sdk-counts.test.ts");
const autoscaler = tests("tests/autoscaler.test.ts");
const kubectlFleet = tests("tests/fleet-rollout.test.ts");
const badCommand = tests("tests/bad-command.test.ts");
const life = tests("src/controllers/gameserver/life.test.ts");
const accidents = tests("src/controllers/gameserver/accidents.test.ts");
const health = tests("src/controllers/gameserver/decide-health.test.ts");
const decisions = tests("src/controllers/gameserver/decide.prop.test.ts");
const rollout = tests("src/controllers/fleet-rollout.test.ts");
const decideRollout = tests("src/controllers/fleet/decide-rollout.test.ts");
const decideSets = tests("src/controllers/fleet/decide-sets.test.ts");
const rolloutProperties = tests("src/controllers/rollout.prop.test.ts");
const conditions = tests("src/controllers/fleet-conditions.test.ts");
const autoscaled = tests("src/controllers/autoscaled-fleet.test.ts");
const world = tests("src/controllers/world.test.ts");
const random = tests("src/controllers/world.prop.test.ts");
const webhook = tests("src/controllers/fleetautoscaler/webhook.test.ts");
const autoscalers = tests("src/controllers/fleetautoscaler/controller.test.ts");
const ports = tests("src/ports/port-allocator.test.ts");

/** By rule of the page. */
export const LIVES: Readonly<Record<string, readonly LifeTest[]>> = {
  "1.1": [
    ...rigLives("a fleet's servers become Ready, each with an address and ports of its own"),
    ...rigServers("port of both protocols is two with one number"),
    ...life("has one port a port of its spec, one more for both protocols, and every address"),
  ],
  "1.2": gameServer("is reached at Static ports of both protocols, and at the port that is passed through"),
  "1.3": rigServers("a server without ports is Ready with an address and none"),
  "1.4": rigServers("the Pod's host name is the server's name, of 63 letters and with dots too; a subdomain is kept"),
  "1.5": gameServer("keeps the version it was made by, and is Unhealthy without signs of life"),
  "1.6": gameServer("is Unhealthy without signs of life unless it asked not to be checked"),
  "1.7": rigServers(
    "a Pod that is deleted or evicted, and a game that crashes, make the server Unhealthy",
    "a Pod that went while no controller was there makes the server Unhealthy when one is",
  ),
  "1.8": rigServers("and a game that crashes, make the server Unhealthy; one that ends well takes it away"),
  "1.9": gameServer(
    "is started again when it crashes before it is Ready, and lost when it crashes after",
    "is Unhealthy when its Static port is taken on the only node",
  ),
  "1.10": rigServers("a development server is Ready without a Pod, again when it asks, is allocated by its labels"),
  "1.11": [
    ...rigServers("a game takes its server to Allocated and back, holds it in reserve, and ends it"),
    ...gameServer("goes through the states its game asks for, and holds a reservation without an end"),
  ],
  "1.12": rigServers("a port of sort %s", "port of both protocols is two with one number"),
  "1.13": life("resources %j are refused with one cause a fault, at its field"),
  "1.14": [
    ...gameServer("still hears its game while it is being deleted, until the game has ended"),
    ...life("waits for the Pod's grace period; meanwhile its game may say that it shuts down"),
  ],
  "1.15": life("comes to be however late its game starts"),
  "1.16": rigServers("a JSON patch that names an older version is refused, one that names the present one is not"),
  "1.17": decisions("no snapshot is refused, and a terminal state never turns into another"),
  "1.18": counts("a game tracks its players"),
  "2.1": rigFleets("a quantity that is written in another way makes no new set; a strategy that is none is refused"),
  "2.2": rigFleets("a fleet is scaled by patch and by its scale, to none too; its name may have 63 letters and not 64"),
  "2.3": rigFleets("an update keeps the match; more matches and fewer servers leave none Ready"),
  "2.4": rigFleets("to zero in the middle of an update keeps the match, whose end leaves nothing"),
  "2.5": [
    ...rigFleetsFull("stays within its surge while servers are taken and end"),
    ...autoscaled("is never fewer than may be unavailable while it rolls out"),
    ...rolloutProperties(
      "a rolling update never leaves fewer servers than may be unavailable, nor more than the surge",
    ),
  ],
  "2.6": rigFleets("a new template and no servers in one write is one set that wants none"),
  "2.7": rigFleets("brings new annotations to every server but those in matches"),
  "2.8": rigFleets("what is reserved outlives a scale to zero and is counted"),
  "2.9": [
    ...rigFleets("matches are never asked to go, whatever happens to the fleet"),
    ...rigLives("a rolling update replaces servers while matches are taken, and ends none of them"),
  ],
  "2.10": rigFleets("another scheduling is for new servers alone"),
  "2.11": rigFleetsFull("all ten servers go by their %s, and ten others come"),
  "2.12": [
    ...rigFleets("sums of counters and lists follow the servers, with the part that is in matches"),
    ...counts("a game tracks its players"),
  ],
  "2.13": rigFleets("matches beyond the fleet's number, and those of an old version, are marked as overflow"),
  "2.14": rigFleetsFull("several fleets that go between 0 and 10 again and again all come to their numbers"),
  "3.1": rigAutoscalers("a buffer is kept beside the matches; its changes take effect, and its limits win"),
  "3.2": rigAutoscalers("the numbers %j are accepted: %s"),
  "3.3": rigAutoscalers("an autoscaler has an interval of 30 seconds, whether its fleet is there or not"),
  "3.4": rigAutoscalers("a webhook over HTTP and TLS is told of the fleet and gives its size"),
  "3.5": rigAutoscalers("brings an empty fleet to its minimum; a fleet of the same name elsewhere is another"),
  "3.6": rigAutoscalers("schedules apply at their minutes; in a chain they follow one another"),
  "3.7": [
    ...autoscaler("gives the size by its function, its settings and its hash; one of another hash gives none"),
    ...rigAutoscalers("a Wasm module gives the size by its function, its settings and its hash"),
  ],
  "4.1": [
    ...rigFailOver("a leader that is told to end hands over at once, one that is killed when its lease is over"),
    ...rigLives("a controller whose lease is another's ends well, and its successor leads when that lease is over"),
  ],
  "4.2": [
    ...rigExtensions("told to stop, it fails readiness, answers on while others turn away, and ends well"),
    ...rigTwoExtensions("of two Pods either may be deleted: no creation, deletion or allocation fails meanwhile"),
  ],
  "4.3": random("whatever happens, nothing happens that must never, and in the end every fleet is what was asked for"),
  "4.4": [...rollout("a fleet at rest costs no write"), ...world("are the fewest its states allow")],
  "5.1": [
    ...rollout("ends with seven of ten servers in matches of both versions and no autoscaler"),
    ...world("finishes its update though matches go on in both versions"),
  ],
  "5.2": rollout("over a third version leaves no Ready server of the one in the middle"),
  "5.3": [
    ...world("scaled below its matches and up again grows to its number, without ending one"),
    ...world("scaled to zero after an update loses all Ready servers and keeps the match"),
    ...decideRollout("the new set is asked for none, never fewer"),
  ],
  "5.4": kubectlFleet("leaves the number alone when a manifest has none, and surges by what a scaler set"),
  "5.5": rollout("to a good version heals a cluster that a bad one has filled"),
  "5.6": decideSets("of two sets with the fleet's template the older is active and the other is drained"),
  "5.7": world("of a fleet that scales up and down hold no lost race with ourselves"),
  "5.8": [
    ...world("try a build that dies at start fewer than 20 times in an hour"),
    ...conditions("whose games are %s at once backs off, and tells why once"),
    ...badCommand("is tried ever more slowly instead of spinning, and says why"),
  ],
  "5.9": [
    ...world("a Pod that ended while no controller ran is found by the next one"),
    ...world("a server goes though its Pod came and went without the cache ever showing it"),
    ...rigServers("a Pod that went while no controller was there makes the server Unhealthy when one is"),
  ],
  "5.10": [
    ...health("a failed Pod makes a server in %s Unhealthy", "a Pod that succeeded shuts its server down"),
    ...health("a game that failed while other containers run makes a server in %s Unhealthy"),
    ...accidents("because its node was short of something makes its server Unhealthy, and the event says so"),
  ],
  "5.11": health("a Pod that somebody deletes takes a waiting server out at once, and leaves a match its time"),
  "5.12": health(
    "a Pod that an earlier server of the name left behind changes nothing",
    "a healthy Pod, none, and one that is no game server's, change nothing",
  ),
  "5.13": rollout("servers that no node takes are gone at once when they are no longer wanted"),
  "5.14": conditions("whose servers no node takes names the scheduler's reason, once"),
  "5.15": autoscaled("and a second one of another size keeps to the first: its number never alternates"),
  "5.16": autoscaled("goes from replicas %s to the minimum, and never beyond"),
  "5.17": autoscaled("of list room keeps its number while a server in a match is nearly full"),
  "5.18": [
    ...webhook("that does not end its answer is left after 15 seconds", "keeps no connection between questions"),
    ...autoscalers("and gets no answer delays no other autoscaler, though there are more of them than workers"),
  ],
  "5.19": [
    ...ports("never gives one server the same number twice, and refuses more ports than the range has"),
    ...ports("the map rebuilt from the objects equals the one that gave the ports (any sequence)"),
    ...accidents("are known to a new leader from the servers alone, and none is given twice"),
  ],
  "5.20": accidents("are not lost when the write of them meets %s"),
  "5.21": ports("named ranges give their own ports; with the gate off all come from default"),
};
