import type { EventType } from "#api/core/event.ts";
import { type KubeObject, objectKey } from "#api/meta/object.ts";
import type { EventRecorder } from "./event-recorder.ts";

export interface RecordedEvent {
  /** `namespace/name` of the object. */
  readonly key: string;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** Keeps events for a test to read. It neither joins equal events nor holds any back. */
export class FakeEventRecorder implements EventRecorder {
  readonly events: RecordedEvent[] = [];

  event(object: KubeObject, type: EventType, reason: string, message: string): void {
    this.events.push({ key: objectKey(object), type, reason, message });
  }
}
