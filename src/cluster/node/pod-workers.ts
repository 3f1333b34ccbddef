/** All pods of this node: one worker each, kept in line with what the API shows. */
import type { Pod } from "#api/core/pod.ts";
import type { Informer } from "#kube/informer.ts";
import type { PodWorker } from "./pod-worker.ts";
import type { HostProcess } from "./process-host.ts";
import type { PodStore } from "./state-folder.ts";

export type Leftover = Pick<HostProcess, "signal" | "ended">;

export class PodWorkers {
  readonly #create: (pod: Pod, gone: () => void) => PodWorker;
  readonly #workers = new Map<string, PodWorker>();
  #closed = false;

  constructor(create: (pod: Pod, gone: () => void) => PodWorker) {
    this.#create = create;
  }

  /** A pod with the name of one that still ends gets a worker of its own: they are two pods. */
  follow(informer: Pick<Informer<Pod>, "addHandler">): void {
    informer.addHandler({
      add: (pod) => this.#observe(pod),
      update: (pod) => this.#observe(pod),
      delete: ({ metadata }) => this.#workers.get(metadata.uid ?? "")?.observe(undefined),
    });
  }

  #observe(pod: Pod): void {
    const uid = pod.metadata.uid ?? "";
    const worker = this.#workers.get(uid);
    if (worker) worker.observe(pod);
    else if (!this.#closed)
      this.#workers.set(
        uid,
        this.#create(pod, () => this.#workers.delete(uid)),
      );
  }

  list(): readonly PodWorker[] {
    return [...this.#workers.values()];
  }

  /** The youngest of that name: an earlier one may still be ending. */
  find(namespace: string, name: string): PodWorker | undefined {
    return this.list().findLast(({ pod }) => pod.metadata.namespace === namespace && pod.metadata.name === name);
  }

  retryImages(): void {
    for (const worker of this.list()) worker.retryImages();
  }

  /**
   * Ends and removes what an earlier agent left of pods that the API no longer shows. Call once the informer is in sync;
   * `unclaimed` is asked when every worker has taken what belongs to its pod.
   */
  async endLeftovers(store: PodStore, unclaimed: () => Iterable<Leftover>): Promise<void> {
    await Promise.all(this.list().map((worker) => worker.recovered));
    const leftovers = [...unclaimed()];
    for (const leftover of leftovers) leftover.signal("SIGKILL");
    await Promise.all(leftovers.map(({ ended }) => ended));
    for (const uid of await store.list()) if (!this.#workers.has(uid)) await store.remove(uid);
  }

  /** Ends all containers of all pods. */
  async shutdown(longestGraceMs: number): Promise<void> {
    this.#closed = true;
    await Promise.all(this.list().map((worker) => worker.shutdown(longestGraceMs)));
  }

  /** Leaves all processes to the next agent. */
  async detach(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.list().map((worker) => worker.detach()));
  }
}
