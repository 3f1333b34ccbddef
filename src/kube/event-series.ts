import type { Event, EventType, ObjectReference } from "#api/core/event.ts";
import type { KubeObject } from "#api/meta/object.ts";
import { type Clock, rfc3339 } from "#runtime/clock.ts";
import { TokenBucket } from "#runtime/token-bucket.ts";

/** One thing that keeps happening to one object: what is written as a single Event with a count. */
export interface EventSeries {
  readonly key: string;
  readonly involved: ObjectReference;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly first: string;
  last: string;
  count: number;
  /** Where it is stored; absent until it was created. */
  stored?: { readonly namespace: string; readonly name: string };
  /** Whether a write is due. */
  due: boolean;
}

/** Events of a cluster-scoped object are kept here. */
const DEFAULT_NAMESPACE = "default";
/** How many series and how many objects are remembered; the least recent are forgotten. */
const REMEMBERED = 4096;
/** An object may have so many events at once, and then one more every five minutes. */
const RATE = { burst: 25, refillMs: 300_000 };

/** Counts what happens: equal events of one object become one series, and an object that floods is held back. */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #series = new Map<string, EventSeries>();
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): EventSeries | undefined {
    return this.#series.get(key);
  }

  /** Counts one more event. Answers `undefined` when the object has had too many: it is counted, but not written for now. */
  observe(object: KubeObject, type: EventType, reason: string, message: string): EventSeries | undefined {
    const involved = referenceTo(object);
    const source = JSON.stringify([involved.kind, involved.namespace, involved.name, involved.uid]);
    const key = JSON.stringify([source, type, reason, message]);
    const now = rfc3339(this.#clock.now());
    const series = this.#series.get(key) ?? {
      key,
      involved,
      type,
      reason,
      message,
      first: now,
      last: now,
      count: 0,
      due: false,
    };
    series.count++;
    series.last = now;
    remember(this.#series, key, series, ({ due }) => !due);
    return this.#admits(source) ? series : undefined;
  }

  #admits(source: string): boolean {
    const bucket = this.#buckets.get(source) ?? new TokenBucket(RATE, this.#clock);
    remember(this.#buckets, source, bucket, () => true);
    return bucket.take();
  }
}

/** Puts the entry last and, when there are too many, forgets the first that may go. */
function remember<V>(entries: Map<string, V>, key: string, value: V, mayGo: (value: V) => boolean): void {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size <= REMEMBERED) return;
  for (const [oldest, entry] of entries) {
    if (!mayGo(entry)) continue;
    entries.delete(oldest);
    return;
  }
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, ...(namespace && { namespace }), name, uid, resourceVersion };
}

/** The Event of a series under a name of its own: the object's name, a dot, and `suffix`. */
export function eventOf(series: EventSeries, suffix: string, component: string): Event {
  const { involved, type, reason, message, first, last, count } = series;
  const namespace = involved.namespace ?? DEFAULT_NAMESPACE;
  return {
    apiVersion: "v1",
    kind: "Event",
    // 253 bytes are the most a name may have.
    metadata: { namespace, name: `${(involved.name ?? "").slice(0, 252 - suffix.length)}.${suffix}` },
    involvedObject: involved,
    type,
    reason,
    message,
    source: { component },
    firstTimestamp: first,
    lastTimestamp: last,
    count,
    reportingComponent: component,
    reportingInstance: "",
  };
}
