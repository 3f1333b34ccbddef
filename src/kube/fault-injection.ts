import { statusError } from "#api/meta/status.ts";
import type { Client } from "./client.ts";
import { TransportError } from "./transport.ts";

/** A call that is about to reach the API server. */
export interface Call {
  readonly verb: keyof Client;
  /** Plural name of the resource, or the path of a `raw` call. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/**
 * What goes wrong with a call:
 * - `conflict`: refused as a lost race; nothing reached the server
 * - `refuse`: fails with `error` (default: a broken connection); nothing reached the server
 * - `lose-answer`: the server did it, the caller sees a broken connection
 * - `delay`: the call waits for `until`, then goes through
 * - `cut`: a watch breaks instead of showing the batch after so many
 */
export type Fault =
  | { readonly type: "conflict" }
  | { readonly type: "refuse"; readonly error?: Error }
  | { readonly type: "lose-answer" }
  | { readonly type: "delay"; readonly until: Promise<unknown> }
  | { readonly type: "cut"; readonly after: number };

export type FaultPlan = (call: Call) => Fault | undefined;

/** The real client with faults between it and its caller: for tests of whatever must survive them. */
export function withFaults(client: Client, plan: FaultPlan): Client {
  const run = <T>(call: Call, real: () => Promise<T>): Promise<T> => meet(plan(call), call, real);
  const meet = async <T>(fault: Fault | undefined, call: Call, real: () => Promise<T>): Promise<T> => {
    if (fault?.type === "conflict") throw statusError("Conflict", `injected conflict on ${call.resource}`);
    if (fault?.type === "refuse") throw fault.error ?? new TransportError(`injected failure of ${call.verb}`);
    if (fault?.type === "delay") await fault.until;
    const answer = await real();
    if (fault?.type === "lose-answer") throw new TransportError(`injected loss of the answer to ${call.verb}`);
    return answer;
  };

  return {
    get: (type, namespace, name) =>
      run({ verb: "get", resource: type.plural, namespace, name }, () => client.get(type, namespace, name)),
    list: (type, options) =>
      run({ verb: "list", resource: type.plural, namespace: options?.namespace }, () => client.list(type, options)),
    watch: (type, options) => {
      const call: Call = { verb: "watch", resource: type.plural, namespace: options.namespace };
      const fault = plan(call);
      return meet(fault, call, async () => {
        const batches = await client.watch(type, options);
        return fault?.type === "cut" ? cut(batches, fault.after) : batches;
      });
    },
    create: (type, object) =>
      run({ verb: "create", resource: type.plural, ...named(object) }, () => client.create(type, object)),
    update: (type, object) =>
      run({ verb: "update", resource: type.plural, ...named(object) }, () => client.update(type, object)),
    updateStatus: (type, object) =>
      run({ verb: "updateStatus", resource: type.plural, ...named(object), subresource: "status" }, () =>
        client.updateStatus(type, object),
      ),
    patch: (type, namespace, name, patch, subresource) =>
      run({ verb: "patch", resource: type.plural, namespace, name, subresource }, () =>
        client.patch(type, namespace, name, patch, subresource),
      ),
    delete: (type, namespace, name, options) =>
      run({ verb: "delete", resource: type.plural, namespace, name }, () =>
        client.delete(type, namespace, name, options),
      ),
    raw: (method, path, body) => run({ verb: "raw", resource: path }, () => client.raw(method, path, body)),
  };
}

const named = ({ metadata }: { readonly metadata: { readonly namespace?: string; readonly name?: string } }) => ({
  namespace: metadata.namespace,
  name: metadata.name,
});

async function* cut<T>(batches: AsyncIterable<T>, after: number): AsyncGenerator<T> {
  let passed = 0;
  for await (const batch of batches) {
    if (passed++ === after) throw new TransportError("injected break of a watch");
    yield batch;
  }
}
