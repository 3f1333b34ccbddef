/** What is refused of a FleetAutoscaler, and what is not: every rule with its path, reason and text. */
import type { FeatureGates } from "../agones/feature-gates.ts";
import type { PromiseRow } from "../meta/promise-row.ts";
import { quoted } from "../meta/quote.ts";
import { buffer, CA_BUNDLE } from "./autoscaler.fixture.ts";
import type { FleetAutoscalerSpec } from "./fleetautoscaler.ts";
import type { BufferPolicy, CapacityPolicy, ChainEntry, FleetAutoscalerPolicy, SchedulePolicy } from "./policy.ts";

export interface ValidationPromise extends PromiseRow {
  readonly policy: Partial<FleetAutoscalerPolicy>;
  readonly spec?: Partial<FleetAutoscalerSpec>;
  readonly gates?: Partial<FeatureGates>;
  /** `<reason without FieldValue> <path>: <body>` of each fault, in order; none: it is accepted. */
  readonly faults: readonly string[];
}

const row = (
  name: string,
  policy: Partial<FleetAutoscalerPolicy>,
  faults: readonly string[],
  more: Partial<ValidationPromise> = {},
): ValidationPromise => ({ section: "8.3", name, policy, faults, ...more });

const NEG = "must be greater than or equal to 0";

const buffered = (changes: Partial<BufferPolicy>): FleetAutoscalerPolicy => ({
  type: "Buffer",
  buffer: { bufferSize: 3, maxReplicas: 30, ...changes },
});
const at = "spec.policy.buffer";

const buffers: readonly ValidationPromise[] = [
  row("a buffer may stand alone", buffer, []),
  row("a buffer is missing", { type: "Buffer", buffer: null }, [
    `Required ${at}: Required value: buffer policy config params are missing`,
  ]),
  row("a minimum above the maximum", buffered({ minReplicas: 31 }), [
    `Invalid ${at}.minReplicas: Invalid value: 31: minReplicas should be smaller than maxReplicas`,
  ]),
  row("no buffer size counts as 0", buffered({ bufferSize: undefined }), [
    `Invalid ${at}.bufferSize: Invalid value: 0: ${NEG}`,
  ]),
  row("a negative buffer size", buffered({ bufferSize: -1 }), [`Invalid ${at}.bufferSize: Invalid value: -1: ${NEG}`]),
  row("a maximum below the buffer size", buffered({ bufferSize: 31 }), [
    `Invalid ${at}.maxReplicas: Invalid value: 30: maxReplicas should be bigger than or equal to bufferSize`,
  ]),
  row("a minimum below the buffer size", buffered({ minReplicas: 2 }), [
    `Invalid ${at}.minReplicas: Invalid value: 2: minReplicas should be bigger than or equal to bufferSize`,
  ]),
  row("a minimum of 0 is none", buffered({ minReplicas: 0 }), []),
  row("all faults at once", buffered({ minReplicas: 40, bufferSize: 50 }), [
    `Invalid ${at}.minReplicas: Invalid value: 40: minReplicas should be smaller than maxReplicas`,
    `Invalid ${at}.maxReplicas: Invalid value: 30: maxReplicas should be bigger than or equal to bufferSize`,
    `Invalid ${at}.minReplicas: Invalid value: 40: minReplicas should be bigger than or equal to bufferSize`,
  ]),
  ...["1%", "99%"].map((bufferSize) => row(`a buffer of ${bufferSize}`, buffered({ bufferSize, minReplicas: 1 }), [])),
  ...["0%", "100%", "-5%", "5", "", "%", "1.5%", "5%%", "five%"].map((bufferSize) =>
    row(`a buffer of ${JSON.stringify(bufferSize)}`, buffered({ bufferSize, minReplicas: 1 }), [
      `Invalid ${at}.bufferSize: Invalid value: "${bufferSize}": bufferSize should be between 1% and 99%`,
    ]),
  ),
  row("a percentage without a minimum", buffered({ bufferSize: "10%" }), [
    `Invalid ${at}.minReplicas: Invalid value: 0: ${NEG}`,
  ]),
];

const capacities: readonly ValidationPromise[] = (["Counter", "List"] as const).flatMap((type) => {
  const member = type === "Counter" ? "counter" : "list";
  const path = `spec.policy.${member}`;
  const policy = (changes: Partial<CapacityPolicy>): FleetAutoscalerPolicy => ({
    type,
    [member]: { key: "rooms", bufferSize: 5, maxCapacity: 100n, ...changes },
  });
  return [
    row(`a ${member} policy`, policy({ minCapacity: 5n }), []),
    row(`a ${member} policy of a huge capacity`, policy({ maxCapacity: 2n ** 63n - 1n }), []),
    row(
      `a ${member} policy without the gate`,
      policy({ bufferSize: 0 }),
      [`Forbidden ${path}: Forbidden: feature CountsAndLists must be enabled`],
      { gates: { CountsAndLists: false } },
    ),
    row(`a ${member} policy that is missing`, { type }, [
      `Required ${path}: Required value: ${member} policy config params are missing`,
    ]),
    row(`a ${member} policy's minimum above its maximum`, policy({ minCapacity: 101n }), [
      `Invalid ${path}.minCapacity: Invalid value: 101: minCapacity should be smaller than maxCapacity`,
    ]),
    row(`a ${member} policy's buffer of 0`, policy({ bufferSize: 0 }), [
      `Invalid ${path}.bufferSize: Invalid value: 0: ${NEG}`,
    ]),
    row(`a ${member} policy's maximum below its buffer`, policy({ bufferSize: 101 }), [
      `Invalid ${path}.maxCapacity: Invalid value: 100: maxCapacity should be bigger than or equal to bufferSize`,
    ]),
    row(`a ${member} policy's minimum below its buffer`, policy({ minCapacity: 4n }), [
      `Invalid ${path}.minCapacity: Invalid value: 4: minCapacity should be bigger than or equal to bufferSize`,
    ]),
    row(`a ${member} policy's percentage`, policy({ bufferSize: "25%", minCapacity: 1n }), []),
    row(`a ${member} policy's percentage without a minimum`, policy({ bufferSize: "100%" }), [
      `Invalid ${path}.bufferSize: Invalid value: "100%": bufferSize should be between 1% and 99%`,
      `Invalid ${path}.minCapacity: Invalid value: "100%":  when bufferSize in percentage format is used, minCapacity should be more than 0`,
    ]),
  ];
});

const service = { name: "oracle", namespace: "tools" };
const webhook = (webhook: FleetAutoscalerPolicy["webhook"]): FleetAutoscalerPolicy => ({ type: "Webhook", webhook });
const hook = "spec.policy.webhook";
const notAUrl = (url: string) => `Invalid ${hook}.url: Invalid value: ${quoted(url)}: url is not valid`;

const webhooks: readonly ValidationPromise[] = [
  row("a webhook by its service", webhook({ service }), []),
  row("a webhook by its URL, with roots", webhook({ url: "https://example.net/size", caBundle: CA_BUNDLE }), []),
  row("a webhook is missing", { type: "Webhook" }, [
    `Required ${hook}: Required value: webhook policy config params are missing`,
  ]),
  row("a webhook that is nowhere", webhook({}), [`Required ${hook}: Required value: url should be provided`]),
  row("a webhook in two places", webhook({ service, url: "http://a" }), [
    `Duplicate ${hook}.url: Duplicate value: "service and url cannot be used simultaneously"`,
  ]),
  ...["", "bm8gY2VydGlmaWNhdGU=", "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg=="].map((caBundle) =>
    row(`roots that hold no certificate: ${JSON.stringify(caBundle)}`, webhook({ service, caBundle }), [
      `Invalid ${hook}.caBundle: Invalid value: "${caBundle}": CA Bundle is not valid`,
    ]),
  ),
  ...["http://[::1", ":8000", "http://a:port/", "http://a b/", "/%zz", "a:b/c".replace("a", "1a"), "\u0007"].map(
    (url) => row(`no URL: ${JSON.stringify(url)}`, webhook({ url }), [notAUrl(url)]),
  ),
  ...["/size", "size", "", "http://[fe80::1%25eth0]:80/", "http://a:/?q=%zz", "localhost:8000", "//host/p"].map((url) =>
    row(`a URL, if a strange one: ${JSON.stringify(url)}`, webhook({ url }), []),
  ),
  row("a webhook with all faults at once", webhook({ service, url: ":", caBundle: "" }), [
    `Duplicate ${hook}.url: Duplicate value: "service and url cannot be used simultaneously"`,
    `Invalid ${hook}.caBundle: Invalid value: "": CA Bundle is not valid`,
    notAUrl(":"),
  ]),
];

const inner = { type: "Buffer", buffer: { bufferSize: 0, maxReplicas: 0 } } as const;
const schedule = (changes: Partial<SchedulePolicy>): FleetAutoscalerPolicy => ({
  type: "Schedule",
  schedule: { policy: inner, ...changes },
});
const period = (activePeriod: SchedulePolicy["activePeriod"]) => schedule({ activePeriod });
const when = "spec.policy.schedule";
const NO_TZ =
  "CRON_TZ or TZ used in activePeriod is not supported, please use the .schedule.timezone field to specify a timezone";

const schedules: readonly ValidationPromise[] = [
  row("a schedule without times; its inner policy is left to the schema", schedule({}), []),
  row(
    "a schedule is missing, which is told before its gate",
    { type: "Schedule" },
    [`Required ${when}: Required value: schedule policy config params are missing`],
    { gates: { ScheduledAutoscaler: false } },
  ),
  row(
    "a schedule without the gate",
    period({ startCron: "nonsense" }),
    [`Forbidden ${when}: Forbidden: feature ScheduledAutoscaler must be enabled`],
    { gates: { ScheduledAutoscaler: false } },
  ),
  ...["Europe/Oslo", "UTC", "Asia/Calcutta", "America/Argentina/Buenos_Aires", ""].map((timezone) =>
    row(`the time zone ${JSON.stringify(timezone)}`, period({ timezone }), []),
  ),
  ...["Mars/Base", "+01:00", "europe/oslo", " "].map((timezone) =>
    row(`no time zone: ${JSON.stringify(timezone)}`, period({ timezone }), [
      `Invalid ${when}.activePeriod.timezone: Invalid value: "${timezone}": Error parsing timezone: unknown time zone ${timezone}\n`,
    ]),
  ),
  row("an end in the past", schedule({ between: { start: "2029-06-01T00:00:00Z", end: "2029-12-31T23:59:59Z" } }), [
    `Invalid ${when}.between.end: Invalid value: "2029-12-31T23:59:59Z": end time must be after the current time`,
  ]),
  row(
    "an end in the past, and a start after it: the first is told alone",
    schedule({
      between: { start: "2031-01-01T00:00:00Z", end: "2029-12-31T23:59:59Z" },
    }),
    [`Invalid ${when}.between.end: Invalid value: "2029-12-31T23:59:59Z": end time must be after the current time`],
  ),
  row("an end that is now", schedule({ between: { end: "2030-01-01T00:00:00Z" } }), []),
  row(
    "an end before the start",
    schedule({ between: { end: "2031-01-01T00:00:00Z", start: "2031-02-01T00:00:00Z" } }),
    [
      `Invalid ${when}.between: Invalid value: {"end":"2031-01-01T00:00:00Z","start":"2031-02-01T00:00:00Z"}: start time must be before end time`,
    ],
  ),
  row("a start in the past", schedule({ between: { start: "2001-01-01T00:00:00Z" } }), []),
  ...["30 17 * * 6,0", "@hourly", "@every 1h", "?/5 * * JAN mon-FRI"].map((startCron) =>
    row(`the cron ${startCron}`, period({ startCron }), []),
  ),
  row("a cron of six fields", period({ startCron: "0 0 0 * * *" }), [
    `Invalid ${when}.activePeriod.startCron: Invalid value: "0 0 0 * * *": invalid startCron: expected exactly 5 fields, found 6: [0 0 0 * * *]`,
  ]),
  ...["CRON_TZ=Asia/Tokyo 0 9 * * *", "TZ=UTC @daily"].map((startCron) =>
    row(`a cron with a zone: ${startCron}`, period({ startCron }), [
      `Invalid ${when}.activePeriod.startCron: Invalid value: "${startCron}": ${NO_TZ}`,
    ]),
  ),
  row("TZ anywhere in a cron", period({ startCron: "0 9 * * TZ" }), [
    `Invalid ${when}.activePeriod.startCron: Invalid value: "0 9 * * TZ": invalid startCron: failed to parse int from TZ: "TZ" must be a whole number`,
    `Invalid ${when}.activePeriod.startCron: Invalid value: "0 9 * * TZ": ${NO_TZ}`,
  ]),
  ...["2h45m", "1.5h", "300ms", "0s", "1000µs"].map((duration) =>
    row(`the duration ${duration}`, period({ startCron: "@daily", duration }), []),
  ),
  row("a duration that is none: the cron is told as its value", period({ startCron: "@daily", duration: "1d" }), [
    `Invalid ${when}.activePeriod.duration: Invalid value: "@daily": invalid duration: time: unknown unit "d" in duration "1d"`,
  ]),
];

const entry = (id: string, policy: object = buffer): ChainEntry => ({ id, ...policy }) as ChainEntry;
const chain = (...chain: (ChainEntry | null)[]): FleetAutoscalerPolicy => ({ type: "Chain", chain });
const link = "spec.policy.chain";
const taken = (id: string) => `Invalid ${link}: Invalid value: "${id}": id of chain entry must be unique`;
const missing = (position: number) => `Required ${link}[${position}]: Required value: valid policy is missing`;

const chains: readonly ValidationPromise[] = [
  row("a chain", chain(entry("a"), entry("b"), entry("")), []),
  row(
    "a chain without the gate",
    chain(entry("a"), entry("a")),
    [`Forbidden ${link}: Forbidden: feature ScheduledAutoscaler must be enabled`],
    { gates: { ScheduledAutoscaler: false } },
  ),
  row("an absent chain", { type: "Chain" }, []),
  row("an empty chain", chain(), []),
  row("an identity that is taken", chain(entry("a"), entry("b"), entry("a"), entry("a")), [taken("a"), taken("a")]),
  row("an entry without a policy", chain(entry("a", { type: "Buffer" })), [
    missing(0),
    `Required ${link}[0].policy.buffer: Required value: buffer policy config params are missing`,
  ]),
  row("an entry without a type", chain(entry("a", { buffer: buffer.buffer })), [missing(0)]),
  row("an entry that is null", chain(entry("a"), null), [missing(1)]),
  row("an entry with another policy than its type's", chain(entry("a", { type: "Webhook", buffer: buffer.buffer })), [
    `Required ${link}[0].policy.webhook: Required value: webhook policy config params are missing`,
  ]),
  row("an entry's own faults, under a segment of its own", chain(entry("a", buffered({ bufferSize: 0 }))), [
    `Invalid ${link}[0].policy.buffer.bufferSize: Invalid value: 0: ${NEG}`,
  ]),
  row("an entry that is a schedule", chain(entry("a", period({ startCron: "0 0 0 0 0" }))), [
    `Invalid ${link}[0].policy.schedule.activePeriod.startCron: Invalid value: "0 0 0 0 0": invalid startCron: beginning of range (0) below minimum (1): 0`,
  ]),
];

const on = { gates: { WasmAutoscaler: true } };
const url = "http://files.example.net/scaler.wasm";
const wasm = (wasm: object | null): Partial<FleetAutoscalerPolicy> => ({ type: "Wasm", wasm: wasm as never });
const module = "spec.policy.wasm";

const modules: readonly ValidationPromise[] = [
  row("a Wasm module", wasm({ from: { url: { url } } }), [], on),
  row("a module is missing, which is told before the gate", wasm(null), [
    `Required ${module}: Required value: wasm policy config params are missing`,
  ]),
  row("a module without the gate", wasm({ from: {} }), [
    `Forbidden ${module}: Forbidden: feature WasmAutoscaler must be enabled`,
  ]),
  row(
    "a module from nowhere",
    wasm({ from: { url: null } }),
    [`Required ${module}.from: Required value: wasm from configuration is missing`],
    on,
  ),
  row(
    "a module's place is held to the rules of a webhook's",
    wasm({ from: { url: { caBundle: "" } } }),
    [
      `Required ${module}.from.url: Required value: url should be provided`,
      `Invalid ${module}.from.url.caBundle: Invalid value: "": CA Bundle is not valid`,
    ],
    on,
  ),
];

const interval = (seconds: number) => ({
  spec: { sync: { type: "FixedInterval", fixedInterval: { seconds } } } as const,
});

const others: readonly ValidationPromise[] = [
  row(
    "a negative interval",
    buffer,
    [`Invalid spec.sync.fixedInterval.seconds: Invalid value: -1: ${NEG}`],
    interval(-1),
  ),
  row("an interval of 0 takes the default", buffer, [], interval(0)),
  row("an unknown type is left to the schema", { type: "Guess" as never }, []),
  row("members of other types are not looked at", { ...buffer, webhook: {}, counter: null }, []),
];

export const promises: readonly ValidationPromise[] = [
  ...buffers,
  ...capacities,
  ...webhooks,
  ...schedules,
  ...chains,
  ...modules,
  ...others,
];
