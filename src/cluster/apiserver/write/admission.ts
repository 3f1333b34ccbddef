/** The admission chain over the plugins that were handed in. */
import type {
  AdmissionOperation,
  AdmissionPlugin,
  AdmissionRequest,
  AdmissionResponse,
  AdmissionStep,
} from "#api/meta/admission.ts";
import type { UserInfo } from "#api/meta/exchange.ts";
import type { JsonObject } from "#api/meta/json.ts";
import { applyJsonPatch } from "#api/meta/patch/json-patch.ts";
import { type Status, StatusError, statusError } from "#api/meta/status.ts";
import type { ServedResource } from "../resources/served-resource.ts";
import { andThen, type MaybePromise } from "./transact.ts";

/** One write on its way through admission; `object` is null for a deletion, `old` for a creation. */
export interface AdmissionSubject {
  readonly resource: ServedResource;
  readonly operation: AdmissionOperation;
  readonly namespace?: string;
  readonly name?: string;
  readonly object: JsonObject | null;
  readonly old: JsonObject | null;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Collects what plugins want the client told. */
  readonly warnings: Set<string>;
}

interface Step extends AdmissionStep {
  readonly name: string;
}

/** Plugins run by name; both functions answer at once when every plugin concerned does. */
export class AdmissionChain {
  readonly #mutate: readonly Step[];
  readonly #validate: readonly Step[];
  readonly #uid: () => string;

  constructor(plugins: readonly AdmissionPlugin[], uid: () => string) {
    const sorted = plugins.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.#mutate = sorted.flatMap(({ name, mutate }) => (mutate ? [{ name, ...mutate }] : []));
    this.#validate = sorted.flatMap(({ name, validate }) => (validate ? [{ name, ...validate }] : []));
    this.#uid = uid;
  }

  /** The object after all patches: the same one when no plugin changed it. Throws the refusal of a plugin. */
  mutate(subject: AdmissionSubject): MaybePromise<JsonObject> {
    const start = subject.object as MaybePromise<JsonObject>;
    return stepsFor(this.#mutate, subject).reduce(
      (previous, step) =>
        andThen(previous, (object) =>
          andThen(this.#ask(step, { ...subject, object }), ({ patch }) =>
            patch && patch.length > 0 ? (applyJsonPatch(object, patch) as JsonObject) : object,
          ),
        ),
      start,
    );
  }

  /** Throws the refusal of the first plugin that refuses. */
  validate(subject: AdmissionSubject): MaybePromise<void> {
    return stepsFor(this.#validate, subject).reduce<MaybePromise<void>>(
      (previous, step) => andThen(previous, () => andThen(this.#ask(step, subject), () => undefined)),
      undefined,
    );
  }

  #ask(step: Step, subject: AdmissionSubject): MaybePromise<AdmissionResponse> {
    return andThen(step.admit(this.#request(subject)), (response) => {
      for (const warning of response.warnings ?? []) subject.warnings.add(warning);
      if (!response.allowed) throw refusal(step.webhook ?? step.name, response.status);
      return response;
    });
  }

  #request(subject: AdmissionSubject): AdmissionRequest {
    const { group, version, kind, plural } = subject.resource.definition;
    return {
      uid: this.#uid(),
      kind: { group, version, kind },
      resource: { group, version, resource: plural },
      name: subject.name,
      namespace: subject.namespace,
      operation: subject.operation,
      userInfo: subject.user,
      object: subject.object,
      oldObject: subject.old,
      dryRun: subject.dryRun,
    };
  }
}

function stepsFor(steps: readonly Step[], { resource, operation }: AdmissionSubject): readonly Step[] {
  const { group, plural } = resource.definition;
  return steps.filter(({ rules }) =>
    rules.some((rule) => rule.group === group && rule.resource === plural && rule.operations.includes(operation)),
  );
}

/** A plugin's refusal, told as Kubernetes tells a webhook's: its status, never a success, its message introduced. */
function refusal(plugin: string, status: Status | undefined): StatusError {
  const denied = `admission webhook ${JSON.stringify(plugin)} denied the request`;
  if (!status) return statusError("BadRequest", `${denied} without explanation`);
  const why = status.message || status.reason;
  return new StatusError({
    ...status,
    status: "Failure",
    message: why ? `${denied}: ${why}` : `${denied} without explanation`,
    code: Math.max(status.code || 0, 400),
  });
}
