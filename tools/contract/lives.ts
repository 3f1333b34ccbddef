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
const sidecar = tests("tests/sidecar.test.ts");
const setAndFleetStatus = tests("src/controllers/decide-status.test.ts");
const setStale = tests("src/controllers/gameserverset/stale-caches.test.ts");
const fleetStale = tests("src/controllers/fleet/stale-caches.test.ts");
const inFlight = tests("src/controllers/gameserverset/in-flight.test.ts");
const decideScale = tests("src/controllers/gameserverset/decide-scale.test.ts");
const gameServerRaces = tests("src/controllers/gameserver/races.test.ts");
const podHealth = tests("src/controllers/gameserver/decide-pod-health.test.ts");
const nodeCounts = tests("src/views/node-counts.test.ts");
const leaderElection = tests("src/kube/leader-election.test.ts");

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
  "5.22": sidecar("a game that falls silent is Unhealthy, counted from the kubelet's first probe on"),
  "5.23": [
    ...sidecar("what is asked for while the API server is away is written when it is back"),
    ...sidecar("with a state file, what a game was told to be kept outlives the sidecar"),
  ],
  "5.24": [
    ...setAndFleetStatus(
      "counts every server once, by whether it goes, and by its state",
      "adds up its sets, old and new",
    ),
    ...setStale("a set of which some servers cannot be made says how many it has"),
  ],
  "5.25": [
    ...autoscalers("and fails is asked again soon, then every 3 seconds; it is told once, and its end too"),
    ...rigAutoscalers("one that is not there is told in an event"),
  ],
  "5.26": life("gets its address with Ready when the game was faster than anybody else"),
  "5.27": autoscalers("that is a schedule whose time is not now changes no size and tells nothing"),
  "5.28": [
    ...autoscalers("keeps its connection from one interval to the next, each entry of a chain its own"),
    ...autoscalers("is abandoned when the autoscaler changes or goes, with what it held"),
    ...autoscalers("of the same name in another namespace has its own fleet, and its end disturbs nobody"),
  ],
  "5.29": tests("src/api/autoscaling/validate.test.ts")(
    "that has ended may still change; a new end in the past is refused",
  ),
  "5.30": [
    ...tests("src/api/agones/deletion-order.test.ts")("servers on no known node go first"),
    ...tests("src/api/agones/deletion-order.prop.test.ts")(
      "the order does not depend on the order the servers were listed in",
    ),
  ],
  "5.31": nodeCounts("a server that changes its node is moved from one to the other"),
  "5.32": tests("src/api/agones/defaults.prop.test.ts")("defaulting a GameServer twice is defaulting it once"),
  "6.1": setStale("a match that began after the cache's last word is not taken away"),
  "6.2": [
    ...inFlight("counts until the cache shows the server, and not after it came and went"),
    ...inFlight("counts until the cache shows a later version, which speaks for itself"),
  ],
  "6.3": [
    ...setStale("a creation that was given up and arrives later makes no second server"),
    ...life("is made once, though the answer to its creation or the write after it is lost"),
  ],
  "6.4": [
    ...life("that somebody else has made under the server's name is waited for"),
    ...gameServerRaces("takes nothing that has come to have its name, or its Pod's, just before"),
  ],
  "6.5": [
    ...accidents("without an address, or unknown yet, is waited for"),
    ...life("gets its address with Ready when the game was faster than anybody else"),
  ],
  "6.6": [
    ...accidents("Ready waits for the container to be seen, and its note survives whatever is lost in between"),
    ...health("while one cache shows the mark and the other not yet, nothing is decided"),
  ],
  "6.7": [
    ...life("waits for the Pod's grace period; meanwhile its game may say that it shuts down"),
    ...accidents("of a server that goes before they were written are free again"),
  ],
  "6.8": podHealth("a node that is leaving is no migration"),
  "6.9": nodeCounts("an event that comes twice counts once", "an earlier version changes nothing"),
  "6.10": decideScale(
    "a young Error holds its place, an old or unreadable one goes",
    "a set being deleted makes nothing and still removes",
  ),
  "6.11": decideRollout("nothing moves while the status of one of the sets tells of an earlier number"),
  "6.12": [
    ...fleetStale("a new version gets no more servers than the surge beside an old set that the cache does not show"),
    ...fleetStale("a set that says it is empty stays while it owns a server that the cache does not show"),
  ],
  "6.13": autoscalers("that is changed acts at once, by its new interval"),
  "6.14": [
    ...leaderElection("a leader whose renewal %s gives up 10 s after the last one, before others begin"),
    ...leaderElection("a leader that finds another's name on the lease stops at once"),
  ],
  "6.15": gameServerRaces("a server's Pod may change while a write of the server is under way: no write is made twice"),
};
