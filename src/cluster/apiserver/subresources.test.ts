import { describe, expect, it } from "vitest";
import type { JsonObject } from "#api/meta/json.ts";
import { notFound } from "#api/meta/status.ts";
import type { PodLogRequest } from "./subresources/log.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";
import { DEFINITIONS, serveWidgets, WIDGETS, widget, widgetDefinition } from "./testing/widgets.ts";

const PODS = "/api/v1/namespaces/default/pods";
const container = { name: "c", image: "i" };

const ready = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } };

const makePod = (server: TestServer, name: string, labels: JsonObject = {}, spec: JsonObject = {}) =>
  server.make(PODS, { metadata: { name, labels }, spec: { containers: [container], ...spec } });

describe("scale", () => {
  it("is read through the definition's paths", async () => {
    const server = await startTestServer();
    await serveWidgets(server);
    const made = await server.make(WIDGETS, widget("a", { size: 1, replicas: 3 }));
    await server.patch(`${WIDGETS}/a/status`, "merge", { status: { replicas: 2, selector: "a=b" } });
    const { body } = await server.call("GET", `${WIDGETS}/a/scale`);
    expect(body).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "a", namespace: "default", uid: (made.metadata as JsonObject).uid },
      spec: { replicas: 3 },
      status: { replicas: 2, selector: "a=b" },
    });
  });

  it("changes the replicas alone, by replacement and by patch", async () => {
    const server = await startTestServer();
    await serveWidgets(server);
    await server.make(WIDGETS, widget("a", { size: 1, replicas: 3 }));
    const scale = (await server.call("GET", `${WIDGETS}/a/scale`)).body;
    const put = await server.call("PUT", `${WIDGETS}/a/scale`, { ...scale, spec: { replicas: 5 } });
    expect(put.body.spec).toEqual({ replicas: 5 });
    expect((await server.call("PUT", `${WIDGETS}/a/scale`, { ...scale, spec: { replicas: 6 } })).status).toBe(409);
    const patched = await server.patch(`${WIDGETS}/a/scale`, "merge", { spec: { replicas: 7 } });
    expect([patched.status, patched.body.spec]).toEqual([200, { replicas: 7 }]);
    const { body } = await server.call("GET", `${WIDGETS}/a`);
    expect([body.spec, (body.metadata as JsonObject).generation]).toEqual([{ size: 1, color: "red", replicas: 7 }, 3]);
  });

  it("refuses what is no count", async () => {
    const server = await startTestServer();
    await serveWidgets(server);
    await server.make(WIDGETS, widget("a"));
    const patch = (replicas: number | string) => server.patch(`${WIDGETS}/a/scale`, "merge", { spec: { replicas } });
    expect((await patch(-1)).body.message).toBe(
      'Widget.example.dev "a" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer',
    );
    expect((await patch("many")).status).toBe(400);
    expect((await server.call("GET", `${WIDGETS}/absent/scale`)).status).toBe(404);
  });

  it("and status exist only where the definition says so", async () => {
    const server = await startTestServer();
    await server.make(DEFINITIONS, widgetDefinition({ plural: "gadgets", subresources: {} }));
    const gadgets = "/apis/example.dev/v1/namespaces/default/gadgets";
    const made = await server.make(gadgets, {
      apiVersion: "example.dev/v1",
      kind: "Gadget",
      metadata: { name: "a" },
      spec: { size: 1 },
      status: { replicas: 1 },
    });
    expect(made.status).toEqual({ replicas: 1 });
    expect((await server.call("GET", `${gadgets}/a/status`)).status).toBe(404);
    expect((await server.call("GET", `${gadgets}/a/scale`)).status).toBe(404);
    const changed = await server.patch(`${gadgets}/a`, "merge", { status: { replicas: 2 } });
    expect([changed.body.status, (changed.body.metadata as JsonObject).generation]).toEqual([{ replicas: 2 }, 2]);
  });
});

describe("pods", () => {
  it("are bound once", async () => {
    const server = await startTestServer();
    await makePod(server, "p");
    const bind = (name: string) => server.call("POST", `${PODS}/p/binding`, { target: { name } });
    expect((await bind("n")).body).toMatchObject({ status: "Success", code: 201 });
    expect((await server.call("GET", `${PODS}/p`)).body).toMatchObject({
      spec: { nodeName: "n" },
      status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "True" }] },
    });
    expect((await bind("m")).body).toMatchObject({
      code: 409,
      message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
    });
    expect((await bind("")).status).toBe(422);
  });

  it("are evicted unless a disruption budget needs them", async () => {
    const server = await startTestServer();
    for (const name of ["a", "b"]) {
      await makePod(server, name, { app: "x" }, { nodeName: "n" });
      await server.patch(`${PODS}/${name}/status`, "merge", ready);
    }
    await server.make("/apis/policy/v1/namespaces/default/poddisruptionbudgets", {
      metadata: { name: "most" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "x" } } },
    });
    const evict = (name: string) =>
      server.call("POST", `${PODS}/${name}/eviction`, {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name, namespace: "default" },
        deleteOptions: { gracePeriodSeconds: 7 },
      });
    expect((await evict("a")).status).toBe(201);
    expect((await server.call("GET", `${PODS}/a`)).body.metadata).toMatchObject({ deletionGracePeriodSeconds: 7 });
    expect((await evict("b")).body).toMatchObject({
      code: 429,
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: { causes: [{ reason: "DisruptionBudget" }] },
    });
    expect((await evict("absent")).status).toBe(404);
  });

  it("are not evicted beyond the budget by evictions at the same instant", async () => {
    const server = await startTestServer();
    const names = ["a", "b", "c", "d", "e", "f"];
    for (const name of names) {
      await makePod(server, name, { app: "x" }, { nodeName: "n" });
      await server.patch(`${PODS}/${name}/status`, "merge", ready);
    }
    const budget = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    await server.make(budget, {
      metadata: { name: "most" },
      spec: { maxUnavailable: 2, selector: { matchLabels: { app: "x" } } },
    });
    const evict = (name: string, query = "") =>
      server.call("POST", `${PODS}/${name}/eviction${query}`, {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name, namespace: "default" },
      });
    const dry = await Promise.all(names.map((name) => evict(name, "?dryRun=All")));
    expect(dry.map(({ status }) => status)).toEqual(names.map(() => 201));
    const answers = await Promise.all(names.map((name) => evict(name)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 429, 429, 429, 429]);
    expect(answers.find(({ status }) => status === 429)?.body.details).toMatchObject({
      causes: [{ message: "The disruption budget most needs 4 healthy pods and has 4 currently" }],
    });
    const marked = await Promise.all(names.map((name) => server.call("GET", `${PODS}/${name}`)));
    const going = marked.filter(({ body }) => (body.metadata as JsonObject).deletionTimestamp !== undefined);
    expect(going).toHaveLength(2);
    expect((await evict(names[answers.findIndex(({ status }) => status === 201)] ?? "")).status).toBe(201);
    expect((await server.call("GET", `${budget}/most`)).body.status).toMatchObject({
      disruptionsAllowed: 0,
      currentHealthy: 4,
      desiredHealthy: 4,
      expectedPods: 6,
    });
  });

  it("are evicted while unhealthy when the budget holds without them, or always if it says so", async () => {
    const server = await startTestServer();
    for (const name of ["a", "b", "c"]) await makePod(server, name, { app: "x" }, { nodeName: "n" });
    await server.patch(`${PODS}/a/status`, "merge", ready);
    for (const name of ["b", "c"])
      await server.patch(`${PODS}/${name}/status`, "merge", { status: { phase: "Running" } });
    const budget = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    const selector = { matchLabels: { app: "x" } };
    await server.make(budget, { metadata: { name: "most" }, spec: { minAvailable: 1, selector } });
    const evict = async (name: string) => {
      const answer = await server.call("POST", `${PODS}/${name}/eviction`, { metadata: { name } });
      return answer.status;
    };
    expect(await evict("b")).toBe(201);
    expect(await evict("a")).toBe(429);
    await server.patch(`${budget}/most`, "merge", { spec: { minAvailable: 2 } });
    expect(await evict("c")).toBe(429);
    await server.patch(`${budget}/most`, "merge", { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } });
    expect(await evict("c")).toBe(201);
    await server.make(budget, { metadata: { name: "second" }, spec: { minAvailable: 0, selector } });
    expect(await evict("a")).toBe(500);
  });

  it("have no budget that cannot be understood", async () => {
    const server = await startTestServer();
    const make = async (spec: JsonObject) => {
      const answer = await server.call("POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets", {
        metadata: { name: "most" },
        spec,
      });
      return [answer.status, answer.body.message];
    };
    const refusal = (field: string, fault: string) => [
      422,
      `PodDisruptionBudget.policy "most" is invalid: spec.${field}: Invalid value: ${fault}`,
    ];
    expect(await make({ minAvailable: -1 })).toEqual(refusal("minAvailable", "-1: must be greater than or equal to 0"));
    expect(await make({ maxUnavailable: "101%" })).toEqual(
      refusal("maxUnavailable", '"101%": must not be greater than 100%'),
    );
    expect((await make({ minAvailable: "half" }))[1]).toContain('"half": a valid percent string must be');
    const matchExpressions = [{ key: "a", operator: "Near" }];
    expect((await make({ selector: { matchExpressions } }))[1]).toContain(
      '"Near" is not a valid label selector operator',
    );
  });

  it("give their logs from the port that was handed in", async () => {
    const asked: PodLogRequest[] = [];
    const server = await startTestServer({
      podLogs: {
        open: async (request) => {
          asked.push(request);
          if (request.previous) throw notFound("", "pods", "no earlier run");
          if (request.pod === "unseen") throw notFound("", "pods", "unseen");
          return (async function* () {
            yield new TextEncoder().encode("one\n");
            yield new TextEncoder().encode("two\n");
          })();
        },
      },
    });
    await makePod(server, "p", {}, { nodeName: "n" });
    const response = await server.respond("GET", `${PODS}/p/log?follow=true&tailLines=5&timestamps=true`);
    if (response.type !== "bytes" || response.body instanceof Uint8Array) throw new Error("expected a stream");
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe("one\ntwo\n");
    expect(asked[0]).toMatchObject({
      namespace: "default",
      pod: "p",
      container: "c",
      follow: true,
      tailLines: 5,
      timestamps: true,
      previous: false,
    });
    expect((await server.call("GET", `${PODS}/p/log?previous=true`)).status).toBe(404);
    expect((await server.call("GET", `${PODS}/p/log?container=other`)).body.message).toBe(
      "container other is not valid for pod p",
    );
    await makePod(server, "two", {}, { containers: [container, { name: "d", image: "i" }] });
    expect((await server.call("GET", `${PODS}/two/log`)).body.message).toBe(
      "a container name must be specified for pod two, choose one of: [c d]",
    );
    expect((await server.call("GET", `${PODS}/absent/log`)).status).toBe(404);
    await makePod(server, "homeless");
    expect((await server.call("GET", `${PODS}/homeless/log`)).body).toMatchObject({
      code: 400,
      message: "pod homeless does not have a host assigned",
    });
    const unscheduled = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message: "0/1 nodes are available",
    };
    const status = { conditions: [unscheduled] };
    await server.patch(`${PODS}/homeless/status`, "merge", { status });
    expect((await server.call("GET", `${PODS}/homeless/log`)).body.message).toBe(
      "pod homeless does not have a host assigned: 0/1 nodes are available",
    );
    await makePod(server, "unseen", {}, { nodeName: "n" });
    expect((await server.call("GET", `${PODS}/unseen/log`)).body).toMatchObject({
      code: 400,
      message: 'container "c" in pod "unseen" is waiting to start: ContainerCreating',
    });
  });

  it("get Kubernetes' defaults", async () => {
    const server = await startTestServer();
    const made = await makePod(
      server,
      "p",
      {},
      {
        containers: [
          {
            name: "c",
            image: "i",
            ports: [{ containerPort: 1 }],
            resources: { limits: { cpu: 1 } },
            livenessProbe: { httpGet: { port: 80 } },
            env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
          },
        ],
        volumes: [{ name: "v" }],
      },
    );
    expect(made).toMatchObject({
      spec: {
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        containers: [
          {
            imagePullPolicy: "Always",
            ports: [{ protocol: "TCP" }],
            resources: { limits: { cpu: "1" }, requests: { cpu: "1" } },
            livenessProbe: { httpGet: { path: "/", scheme: "HTTP" }, failureThreshold: 3 },
            env: [{ valueFrom: { fieldRef: { apiVersion: "v1" } } }],
          },
        ],
        volumes: [{ name: "v", emptyDir: {} }],
      },
      status: { phase: "Pending", qosClass: "Burstable" },
    });
  });

  it.each([
    [{ containers: [] }, /spec.containers: Required value/],
    [{ containers: [{ name: "c" }] }, /spec.containers\[0\].image: Required value/],
    [
      { containers: [{ name: "C", image: "i" }] },
      /spec.containers\[0\].name: Invalid value: "C": a lowercase RFC 1123 label/,
    ],
    [{ containers: [container, container] }, /spec.containers\[1\].name: Duplicate value: "c"/],
    [
      { restartPolicy: "Sometimes" },
      /spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"/,
    ],
    [
      { containers: [{ ...container, ports: [{ containerPort: 70000 }] }] },
      /spec.containers\[0\].ports\[0\].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive/,
    ],
    [
      {
        containers: [
          {
            ...container,
            ports: [
              { containerPort: 1, hostPort: 7 },
              { containerPort: 2, hostPort: 7 },
            ],
          },
        ],
      },
      /spec.containers\[0\].ports\[1\].hostPort: Duplicate value: "TCP\/\/7"/,
    ],
    [
      { containers: [{ ...container, resources: { limits: { cpu: "1" }, requests: { cpu: "1.5" } } }] },
      /spec.containers\[0\].resources.requests: Invalid value: "1500m": must be less than or equal to cpu limit of 1/,
    ],
    [
      { containers: [{ ...container, volumeMounts: [{ name: "ghost", mountPath: "/x" }] }] },
      /spec.containers\[0\].volumeMounts\[0\].name: Not found: "ghost"/,
    ],
  ])("with %j are refused", async (spec, message) => {
    const server = await startTestServer();
    const body = { metadata: { name: "p" }, spec: { containers: [container], ...spec } };
    const answer = await server.call("POST", PODS, body as JsonObject);
    expect([answer.status, answer.body.message]).toEqual([422, expect.stringMatching(message)]);
  });

  it.each([
    [{ containers: [{ ...container, resources: { limits: { cpu: "much" } } }] }, /resources.limits.cpu: .*"much"/],
    [{ containers: "c" }, /spec.containers: /],
  ])("with %j cannot be read", async (spec, message) => {
    const server = await startTestServer();
    const answer = await server.call("POST", PODS, { metadata: { name: "p" }, spec: spec as JsonObject });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(message)]);
  });

  it("keep their spec, images apart", async () => {
    const server = await startTestServer();
    await makePod(server, "p");
    const image = [{ op: "replace", path: "/spec/containers/0/image", value: "j" }];
    expect((await server.patch(`${PODS}/p`, "json", image)).status).toBe(200);
    expect((await server.patch(`${PODS}/p`, "merge", { spec: { nodeName: "n" } })).body.message).toMatch(
      /spec: Forbidden: pod updates may not change fields other than/,
    );
  });
});

describe("secrets", () => {
  it("fold stringData into data", async () => {
    const server = await startTestServer();
    const made = await server.make("/api/v1/namespaces/default/secrets", {
      metadata: { name: "s" },
      data: { kept: "YQ==" },
      stringData: { folded: "b" },
    });
    expect([made.type, made.data, made.stringData]).toEqual(["Opaque", { kept: "YQ==", folded: "Yg==" }, undefined]);
  });

  it("that are immutable stay as they are", async () => {
    const server = await startTestServer();
    const maps = "/api/v1/namespaces/default/configmaps";
    await server.make(maps, { metadata: { name: "m" }, data: { a: "1" }, immutable: true });
    expect((await server.patch(`${maps}/m`, "merge", { data: { a: "2" } })).body.message).toMatch(
      /data: Forbidden: field is immutable when `immutable` is set/,
    );
  });
});
