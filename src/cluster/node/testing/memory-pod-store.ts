import type { PodRecord, PodStore } from "../state-folder.ts";

/** Records of pods for tests: they outlive the workers, as files would. */
export class MemoryPodStore implements PodStore {
  readonly records = new Map<string, PodRecord>();

  async list(): Promise<readonly string[]> {
    return [...this.records.keys()];
  }

  async load(uid: string): Promise<PodRecord | undefined> {
    return this.records.get(uid);
  }

  async save(record: PodRecord): Promise<void> {
    this.records.set(record.uid, record);
  }

  async remove(uid: string): Promise<void> {
    this.records.delete(uid);
  }
}
