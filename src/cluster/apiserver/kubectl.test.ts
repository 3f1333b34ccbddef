/** What people do with the real kubectl, against the server on a loopback port, over TLS as kubectl wants it for a token. */
import { describe, expect, it } from "vitest";
import { hasKubectl, openCluster } from "./testing/kubectl.ts";
import { widget, widgetDefinition } from "./testing/widgets.ts";

describe.skipIf(!hasKubectl)("kubectl (skipped where it is not installed)", { timeout: 60_000 }, () => {
  it("creates, shows and deletes namespaces, and says who it is", async () => {
    const { ok } = await openCluster();
    expect(await ok("create namespace games")).toBe("namespace/games created\n");
    expect(await ok("get namespaces")).toMatch(/NAME +STATUS +AGE\ndefault +Active +\d+s\ngames +Active/);
    expect(await ok("delete namespace games --wait=false")).toMatch(/namespace "games" deleted/);
    expect(await ok("get ns games")).toMatch(/games +Terminating/);
    expect(await ok("auth whoami -o name")).toMatch(/selfsubjectreview/i);
    expect(await ok("auth can-i create pods")).toBe("yes\n");
    expect(await ok("version")).toMatch(/Server Version: v1\.\d+/);
    expect(await ok("api-resources -o name")).toMatch(/^pods$/m);
  });

  it("makes built-ins with its typed commands, and applies, patches and describes them", async () => {
    const { ok } = await openCluster();
    await ok("create configmap settings --from-literal=a=b");
    await ok("create secret generic key --from-literal=a=b");
    await ok("create serviceaccount robot");
    await ok("run game --image=game:1 --restart=Never --port=7000");
    expect(await ok("get pods")).toMatch(/NAME +READY +STATUS +RESTARTS +AGE\ngame +0\/1 +Pending +0/);
    expect(await ok("describe pod game")).toMatch(/Image: +game:1/);
    expect(await ok("set image pod/game game=game:2")).toMatch(/image updated/);
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "i:1" }] },
    };
    expect(await ok("apply -f -", pod)).toBe("pod/p created\n");
    expect(await ok("apply -f -", pod)).toBe("pod/p unchanged\n");
    const labelled = { ...pod, metadata: { name: "p", labels: { a: "b" } } };
    expect(await ok("apply -f -", labelled)).toBe("pod/p configured\n");
    expect(await ok("get pods -l a=b -o name")).toBe("pod/p\n");
    expect(await ok("delete pod p game")).toMatch(/pod "p" deleted/);
    expect(await ok("get events")).toBe("");
  });

  it("works with custom resources from their definition on", async () => {
    const { kubectl, ok } = await openCluster();
    await ok("create -f -", widgetDefinition());
    await ok("wait --for=condition=Established crd/widgets.example.dev --timeout=5s");
    expect(await ok("apply -f -", widget("a", { size: 3 }))).toBe("widget.example.dev/a created\n");
    expect(await ok("get widgets")).toMatch(/NAME +SIZE\na +3\n/);
    expect(await ok("scale widget a --replicas=5")).toMatch(/scaled/);
    expect(await ok('patch widget a --type=merge -p {"spec":{"color":"blue"}}')).toMatch(/patched/);
    expect(await ok("label widget a x=y")).toMatch(/labeled/);
    expect(await ok("annotate widget a x=y")).toMatch(/annotated/);
    expect(await ok("get widget a -o jsonpath={.spec}")).toBe('{"color":"blue","replicas":5,"size":3}');
    expect(await ok("explain widget.spec.color")).toMatch(/FIELD: color <string>/);
    expect(await ok("wait --for=jsonpath={.spec.size}=3 widget/a --timeout=5s")).toMatch(/condition met/);
    const refusals: [string, object | undefined, RegExp][] = [
      ["create -f -", widget("b", { size: 0 }), /The Widget "b" is invalid: spec.size: Invalid value: 0/],
      ["create -f -", widget("b", { size: 1, foo: 1 }), /strict decoding error: unknown field "spec.foo"/],
      ["apply --server-side -f -", widget("a", { size: 3 }), /Server-side apply not available on the server/],
      ["patch widget a --type=strategic -p {}", undefined, /is not supported by example.dev\/v1, Kind=Widget/],
      ["delete widget absent", undefined, /widgets.example.dev "absent" not found/],
    ];
    for (const [command, input, message] of refusals)
      expect(await kubectl(command, input), command).toMatchObject({ code: 1, err: expect.stringMatching(message) });
    expect(await ok("delete widget a")).toMatch(/deleted/);
    expect(await ok("delete crd widgets.example.dev")).toMatch(/deleted/);
    expect((await kubectl("get widgets")).code).toBe(1);
  });

  it("follows changes with get --watch", async () => {
    const { door, kubectl } = await openCluster();
    const maps = "/api/v1/namespaces/default/configmaps";
    await door.server.make(maps, { metadata: { name: "first" } });
    const watched = kubectl("get configmaps --watch --request-timeout=2s");
    await expect.poll(() => door.server.clock.pending).toBeGreaterThan(1);
    await door.server.make(maps, { metadata: { name: "second" } });
    expect((await watched).out).toMatch(/NAME +DATA +AGE\nfirst +0 [^\n]*\nsecond +0 /);
  });
});
