/**
 * What the machinery tells about itself, as ports: `kube` reports through them, `prometheus.ts` implements them.
 * Everything is in seconds. Whoever is handed none reports nothing.
 */

/** A queue's figures, read when somebody looks. */
export interface QueueState {
  readonly name: string;
  /** Keys that wait for a worker; delayed ones are not among them yet. */
  readonly depth: () => number;
  /** For every key a worker holds: for how many seconds. */
  readonly inHand: () => readonly number[];
}

export interface WorkQueueMetrics {
  /** Once a queue. Several queues may share a name; their figures add up. */
  opened(queue: QueueState): void;
  /** A key came to wait for a worker. */
  added(queue: string): void;
  /** A key was asked for again later: after a failure, or at a time it named. */
  retried(queue: string): void;
  /** A worker took a key that had waited so long. */
  taken(queue: string, waited: number): void;
  /** A worker was done with a key it held so long. */
  done(queue: string, worked: number): void;
}

export interface ClientMetrics {
  /** `endpoint` is the path with placeholders instead of names; `status` the HTTP code, or `<error>` where there was none. */
  request(verb: string, endpoint: string, status: string, took: number): void;
}

export interface CacheMetrics {
  listed(items: number, took: number): void;
  /** A watch ended; `short` when it ended at once without an event. */
  watched(events: number, took: number, short: boolean): void;
  /** The version the cache has reached, where it is a number. */
  reached(version: number): void;
}

export interface CreationMetrics {
  /** So many game servers were asked for together; `failed` when one of them was refused or not answered. */
  batch(size: number, failed: boolean, took: number): void;
}
