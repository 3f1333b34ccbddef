import { describe, expect, test } from "vitest";
import { featureGates } from "../agones/feature-gates.ts";
import { fleet } from "../agones/gameserver.fixture.ts";
import { hashes, requests, responses, urls } from "./exchange.promises.ts";
import { ReviewError, responseOf, reviewOf } from "./review.ts";
import { checkWasmHash, WasmHashError, wasmHash } from "./wasm.ts";
import { WebhookUrlError, webhookUrl } from "./webhook-url.ts";

const titled = <T extends { readonly section: string; readonly name: string }>(promises: readonly T[]) =>
  promises.map((promise) => [promise.section, promise.name, promise] as const);

describe("the address", () => {
  test.each(titled(urls))("%s: %s", (_section, _name, { configuration, url, error }) => {
    const built = () => webhookUrl(configuration);
    if (error === undefined) return expect(built()).toBe(url);
    expect(built).toThrow(WebhookUrlError);
    expect(built).toThrow(error);
  });
});

describe("the question", () => {
  test.each(titled(requests))("%s: %s", (_section, _name, { metadata, status, gates, request }) => {
    const asked = reviewOf({ ...fleet({}, metadata), status }, "u-1", featureGates(gates));
    expect(asked).toEqual({ request: { uid: "u-1", name: "duel", namespace: "games", ...request }, response: null });
  });
});

describe("the answer", () => {
  test.each(titled(responses))("%s: %s", (_section, _name, { answer, response, error }) => {
    if (response) return expect(responseOf(answer)).toEqual(response);
    expect(() => responseOf(answer)).toThrow(ReviewError);
    expect(() => responseOf(answer)).toThrow(error);
  });
});

describe("the module", () => {
  const module = new TextEncoder().encode("abc");

  test.each(titled(hashes))("%s: %s", (_section, _name, { hash, matches }) => {
    const check = () => checkWasmHash({ hash }, module);
    if (matches) return expect(check).not.toThrow();
    expect(check).toThrow(WasmHashError);
    expect(check).toThrow("hash mismatch for module 'main'");
  });

  test("is named by its hash in small letters", () => {
    expect(wasmHash(module)).toMatch(/^[0-9a-f]{64}$/);
  });
});
