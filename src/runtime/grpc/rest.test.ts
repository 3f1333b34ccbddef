import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { SDK as BetaSDK } from "#proto/gen/agones/dev/sdk/beta/beta_pb.ts";
import { SDK } from "#proto/gen/agones/dev/sdk/sdk_pb.ts";
import { FakeClock } from "../clock.ts";
import type { Door } from "./door.ts";
import { bindService, boundMethods, type ServiceHandlers } from "./handlers.ts";
import { RestDoors } from "./rest.ts";
import { RpcError } from "./rpc-error.ts";

const doors: Door[] = [];
afterEach(async () => {
  const closed = Promise.all(doors.splice(0).map((door) => door.close()));
  await clock.advance(100);
  await closed;
});

/** Time stands still but for the test that moves it, and for closing. */
const clock = new FakeClock();

async function serve(
  sdk: Partial<ServiceHandlers<typeof SDK>> = {},
  beta: Partial<ServiceHandlers<typeof BetaSDK>> = {},
): Promise<string> {
  const nothing = () => ({});
  const methods = boundMethods(
    undefined,
    bindService(SDK, {
      ready: nothing,
      allocate: nothing,
      shutdown: nothing,
      setLabel: nothing,
      setAnnotation: nothing,
      reserve: nothing,
      getGameServer: nothing,
      health: async (pings) => {
        for await (const _ of pings);
        return {};
      },
      watchGameServer: async function* () {},
      ...sdk,
    }),
    bindService(BetaSDK, {
      getCounter: nothing,
      updateCounter: nothing,
      getList: nothing,
      updateList: nothing,
      addListValue: nothing,
      removeListValue: nothing,
      ...beta,
    }),
  );
  const door = await new RestDoors([SDK, BetaSDK], clock).open({ host: "127.0.0.1", port: 0, methods });
  doors.push(door);
  return `http://127.0.0.1:${door.port}`;
}

const call = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, init);
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
};

describe("answers", () => {
  it("writes proto names in order of declaration, every field, int64 as strings and unset messages as null", async () => {
    const url = await serve({
      getGameServer: () => ({
        objectMeta: { name: "gs", generation: 9007199254740993n, labels: { b: "2", a: "1" } },
        status: { state: "Ready", ports: [{ name: "default", port: 7777 }], counters: { rooms: { count: 1n } } },
      }),
    });
    const { text, type } = await call(`${url}/gameserver`);
    expect(type).toBe("application/json");
    expect(text).toBe(
      '{"object_meta":{"name":"gs","namespace":"","uid":"","resource_version":"","generation":"9007199254740993",' +
        '"creation_timestamp":"0","deletion_timestamp":"0","annotations":{},"labels":{"a":"1","b":"2"}},"spec":null,' +
        '"status":{"state":"Ready","address":"","addresses":[],"ports":[{"name":"default","port":7777}],"players":null,' +
        '"counters":{"rooms":{"count":"1","capacity":"0"}},"lists":{}}}',
    );
  });

  it("says of an answer and of a stream what gRPC says, under another name", async () => {
    const url = await serve({
      watchGameServer: async function* () {
        yield {};
      },
    });
    for (const [path, method] of [
      ["/ready", "POST"],
      ["/watch/gameserver", "GET"],
    ] as const) {
      const response = await fetch(`${url}${path}`, { method });
      await response.text();
      expect(response.headers.get("grpc-metadata-content-type"), path).toBe("application/grpc");
    }
  });

  it("answers an empty message with {} and counts an empty body as {}", async () => {
    const url = await serve();
    expect(await call(`${url}/ready`, { method: "POST" })).toMatchObject({ status: 200, text: "{}" });
  });

  it.each([
    ['{"seconds":"9007199254740993"}', 9007199254740993n],
    ['{"seconds":9007199254740993}', 9007199254740993n],
    ['{"seconds":5,"unknown":[1]}', 5n],
    ["{}", 0n],
  ])("reads int64 of %s exactly and drops unknown members", async (body, wanted) => {
    let seen: bigint | undefined;
    const url = await serve({
      reserve: ({ seconds }) => {
        seen = seconds;
        return {};
      },
    });
    expect((await call(`${url}/reserve`, { method: "POST", body })).status).toBe(200);
    expect(seen).toBe(wanted);
  });

  it.each([
    ["NotFound", 404, 5],
    ["InvalidArgument", 400, 3],
    ["Unknown", 500, 2],
    ["Unimplemented", 501, 12],
  ] as const)("maps %s to %i", async (code, status, number) => {
    const url = await serve({
      ready: () => {
        throw new RpcError(code, "why");
      },
    });
    expect(await call(`${url}/ready`, { method: "POST" })).toEqual({
      status,
      type: "application/json",
      text: `{"code":${number},"message":"why","details":[]}`,
    });
  });

  it("gives any other failure code Unknown", async () => {
    const url = await serve({ ready: () => Promise.reject(new Error("boom")) });
    expect((await call(`${url}/ready`, { method: "POST" })).text).toBe('{"code":2,"message":"boom","details":[]}');
  });
});

describe("routing", () => {
  it.each([
    ["GET", "/nope", 404, '{"code":5,"message":"Not Found","details":[]}'],
    ["POST", "/ready/", 404, '{"code":5,"message":"Not Found","details":[]}'],
    ["GET", "/ready", 501, '{"code":12,"message":"Method Not Allowed","details":[]}'],
    ["POST", "/gameserver", 501, '{"code":12,"message":"Method Not Allowed","details":[]}'],
    ["GET", "/v1beta1/lists/a%2Fb", 404, '{"code":5,"message":"Not Found","details":[]}'],
  ])("%s %s is %i", async (method, path, status, text) => {
    expect(await call(`${await serve()}${path}`, { method })).toMatchObject({ status, text });
  });

  it("takes path variables, and an action only for its verb", async () => {
    const url = await serve(
      {},
      {
        getList: ({ name }) => ({ name }),
        addListValue: ({ name, value }) => ({ name, values: [value] }),
      },
    );
    expect((await call(`${url}/v1beta1/lists/foo:addValue`)).text).toBe(
      '{"name":"foo:addValue","capacity":"0","values":[]}',
    );
    const added = await call(`${url}/v1beta1/lists/b%C3%A4r:addValue`, {
      method: "POST",
      body: '{"value":"x","name":"y"}',
    });
    expect(added.text).toBe('{"name":"bär","capacity":"0","values":["x"]}');
  });

  it("fills a body field and a path variable inside it, wrapped integers from string or number", async () => {
    const url = await serve(
      {},
      {
        updateCounter: ({ counterUpdateRequest: u }) => ({
          name: `${u?.name} ${u?.countDiff}`,
          count: u?.count ?? 0n,
          capacity: u?.capacity ?? 0n,
        }),
      },
    );
    const body = '{"count":"40","capacity":42,"countDiff":"-1"}';
    expect((await call(`${url}/v1beta1/counters/rooms`, { method: "PATCH", body })).text).toBe(
      '{"name":"rooms -1","count":"40","capacity":"42"}',
    );
  });
});

describe("update masks", () => {
  const masks = async (query: string, body: string) => {
    const url = await serve(
      {},
      { updateList: ({ list, updateMask }) => ({ name: list?.name, values: updateMask?.paths }) },
    );
    return call(`${url}/v1beta1/lists/players${query}`, { method: "PATCH", body });
  };

  it.each([
    ["", '{"values":["a"],"capacity":"120"}', ["capacity", "values"]],
    ["", '{"capacity":10}', ["capacity"]],
    ["", "", []],
    ["?update_mask=values,capacity", "{}", ["values", "capacity"]],
    ["?updateMask=*", '{"capacity":10}', ["*"]],
  ])("of %s with body %s", async (query, body, paths) => {
    expect(JSON.parse((await masks(query, body)).text)).toEqual({ name: "players", capacity: "0", values: paths });
  });

  it("are refused when a member is no field, or given twice", async () => {
    expect(await masks("", '{"x":1}')).toMatchObject({
      status: 400,
      text: '{"code":3,"message":"could not find field \\"x\\" in \\"agones.dev.sdk.beta.List\\"","details":[]}',
    });
    expect((await masks("?update_mask=values&update_mask=name", "{}")).status).toBe(400);
  });
});

describe("bad requests", () => {
  const refuses = async (method: string, path: string, body: string) => {
    const { status, text } = await call(`${await serve()}${path}`, { method, body });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ code: 3, details: [] });
  };

  it.each([
    ...["{", "{} {}", "[]", '"x"', "null", "1", '{"seconds":"many"}', '{"seconds":1.5}', '{"seconds":true}'],
    ...['{"seconds":"9223372036854775808"}', '{"seconds":-9223372036854775809}'],
  ])("refuses body %s with code 3", (body) => refuses("POST", "/reserve", body));

  it.each([
    ["PATCH", "/v1beta1/counters/rooms", '{"count":"many"}'],
    ["PATCH", "/v1beta1/counters/rooms", '{"count":{"value":1}}'],
    ["PATCH", "/v1beta1/counters/rooms", '{"countDiff":1.5}'],
    ["PATCH", "/v1beta1/counters/rooms", '{"capacity":9223372036854775808}'],
    ["PATCH", "/v1beta1/counters/rooms", '{"name":5}'],
    ["PATCH", "/v1beta1/counters/rooms", "null"],
    ["PATCH", "/v1beta1/lists/players", "null"],
    ["PATCH", "/v1beta1/lists/players", '{"values":"a"}'],
    ["PATCH", "/v1beta1/lists/players", '{"values":[1]}'],
    ["PATCH", "/v1beta1/lists/players", '{"values":[null]}'],
    ["POST", "/v1beta1/lists/players:addValue", '{"value":5}'],
    ["POST", "/v1beta1/lists/players:removeValue", "[]"],
  ])("refuses %s %s with body %s", refuses);

  it("refuses a path that is not percent-encoded UTF-8", async () => {
    expect((await call(`${await serve()}/%ff`)).status).toBe(400);
  });

  it("refuses a body beyond 4 MiB", async () => {
    const body = `{"key":"${"x".repeat(5 * 1024 * 1024)}"}`;
    const answer = await call(`${await serve()}/metadata/label`, { method: "PUT", body }).catch(() => undefined);
    expect(answer?.status ?? 429).toBe(429);
    expect((await call(`${await serve()}/ready`, { method: "POST" })).status).toBe(200);
  });

  it("ends a call at Grpc-Timeout", async () => {
    const url = await serve({
      ready: (_request, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve({}))),
    });
    const answer = call(`${url}/ready`, { method: "POST", headers: { "Grpc-Timeout": "5S" } });
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(5000);
    expect(await answer).toMatchObject({
      status: 504,
      text: '{"code":4,"message":"context deadline exceeded","details":[]}',
    });
  });
});

describe("streams", () => {
  it("counts each object of a chunked /health body as it arrives and answers {} at its end", async () => {
    let pings = 0;
    const url = await serve({
      health: async (requests) => {
        for await (const _ of requests) pings++;
        return {};
      },
    });
    const answer = Promise.withResolvers<string>();
    const request = httpRequest(`${url}/health`, { method: "POST" }, (response) => {
      response.setEncoding("utf8").once("data", answer.resolve);
    });
    request.write("{}");
    await expect.poll(() => pings).toBe(1);
    request.write(' {"a":"}"}\n{');
    await expect.poll(() => pings).toBe(2);
    request.end("}");
    expect(await answer.promise).toBe("{}");
    expect(pings).toBe(3);
  });

  it.each(["POST", "GET"])("answers 400 without a body to %s /health without a body", async (method) => {
    expect(await call(`${await serve()}/health`, { method })).toMatchObject({ status: 400, text: "" });
  });

  it("refuses a /health body that is no sequence of objects", async () => {
    expect((await call(`${await serve()}/health`, { method: "POST", body: "{} x" })).status).toBe(400);
    expect((await call(`${await serve()}/health`, { method: "POST", body: "{} {" })).status).toBe(400);
  });

  it("sends a line a result, each when it happens, and tells the handler that the reader left", async () => {
    let ended = false;
    const more = Promise.withResolvers<void>();
    const url = await serve({
      watchGameServer: async function* (_request, { signal }) {
        yield { objectMeta: { name: "one" } };
        await more.promise;
        yield { objectMeta: { name: "two" } };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        ended = true;
      },
    });
    const abort = new AbortController();
    const response = await fetch(`${url}/watch/gameserver`, { signal: abort.signal });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const first = (await reader.read()).value ?? "";
    expect(first.endsWith("}\n")).toBe(true);
    expect(JSON.parse(first)).toMatchObject({ result: { object_meta: { name: "one" } } });
    more.resolve();
    expect(JSON.parse((await reader.read()).value ?? "")).toMatchObject({ result: { object_meta: { name: "two" } } });
    abort.abort();
    await expect.poll(() => ended).toBe(true);
  });

  it("reports a failure before the first line as status, after it as a last line", async () => {
    const failing = (first: boolean) =>
      serve({
        watchGameServer: async function* () {
          if (first) yield {};
          throw new RpcError("NotFound", "gone");
        },
      });
    const error = '{"error":{"code":5,"message":"gone","details":[]}}\n';
    expect(await call(`${await failing(false)}/watch/gameserver`)).toMatchObject({ status: 404, text: error });
    const late = await call(`${await failing(true)}/watch/gameserver`);
    expect(late.status).toBe(200);
    expect(late.text.split("\n")[1]).toBe(error.trim());
  });

  it("holds back the handler while the reader does not read", async () => {
    let sent = 0;
    const url = await serve({
      watchGameServer: async function* (_request, { signal }) {
        for (; sent < 10_000 && !signal.aborted; sent++) yield { objectMeta: { name: "x".repeat(64 * 1024) } };
      },
    });
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.pause();
    socket.write("GET /watch/gameserver HTTP/1.1\r\nHost: x\r\n\r\n");
    let before = -1;
    await expect
      .poll(
        () => {
          const still = sent > 0 && sent === before;
          before = sent;
          return still;
        },
        { interval: 100 },
      )
      .toBe(true);
    expect(sent).toBeLessThan(1000);
    socket.destroy();
  });
});

it("names the port when it is taken", async () => {
  const taken = Number(new URL(await serve()).port);
  const again = new RestDoors([SDK], clock).open({ host: "127.0.0.1", port: taken, methods: boundMethods(undefined) });
  await expect(again).rejects.toMatchObject({
    code: "PortInUse",
    port: taken,
    message: `port ${taken} on 127.0.0.1 is in use by another process`,
  });
});
