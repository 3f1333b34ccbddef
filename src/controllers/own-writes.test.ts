import { describe, expect, test } from "vitest";
import type { KubeObject } from "#api/meta/object.ts";
import type { InformerHandler } from "#kube/informer.ts";
import { OwnWrites } from "./own-writes.ts";

const version = (resourceVersion: string, uid = "1"): KubeObject => ({
  apiVersion: "agones.dev/v1",
  kind: "Fleet",
  metadata: { namespace: "default", name: "arena", uid, resourceVersion },
});

/** A cache that shows what it is told to show, and what a controller wrote besides. */
function cache() {
  const shown = new Map<string, KubeObject>();
  let handler: InformerHandler<KubeObject> = {};
  const lister = { get: (key: string) => shown.get(key), list: () => [...shown.values()], byIndex: () => [] };
  const own = new OwnWrites<KubeObject>({
    lister,
    addHandler: (each) => {
      handler = each;
      return () => {};
    },
  });
  const show = (object: KubeObject): void => {
    const old = shown.get("default/arena");
    shown.set("default/arena", object);
    if (old) handler.update?.(object, old);
    else handler.add?.(object);
  };
  const drop = (): void => {
    const old = shown.get("default/arena");
    shown.delete("default/arena");
    if (old) handler.delete?.(old);
  };
  return { own, show, drop };
}

describe("the newest that is known", () => {
  test("is what was written, until the cache shows it or something newer", () => {
    const { own, show } = cache();
    show(version("1"));
    expect(own.get("default/arena")).toEqual(version("1"));
    own.wrote(version("3"));
    expect(own.get("default/arena")).toEqual(version("3"));
    show(version("2"));
    expect(own.get("default/arena")).toEqual(version("3"));
    show(version("4"));
    expect(own.get("default/arena")).toEqual(version("4"));
  });

  test("of an object that has gone meanwhile is not what was written", () => {
    const { own, show, drop } = cache();
    show(version("1"));
    drop();
    own.wrote(version("2"));
    expect(own.newest(version("1"))).toEqual(version("1"));
    show(version("3", "2"));
    own.wrote(version("4", "1"));
    expect(own.get("default/arena")).toEqual(version("3", "2"));
  });

  test("of an object that the cache has not shown yet is what was found, and then what was written", () => {
    const { own, show } = cache();
    own.found(version("1"));
    own.wrote(version("2"));
    expect(own.newest(version("1"))).toEqual(version("2"));
    show(version("1"));
    expect(own.get("default/arena")).toEqual(version("2"));
  });
});

test("what the cache shows, or shows no more, is forgotten", () => {
  const { own, show, drop } = cache();
  show(version("1"));
  own.wrote(version("2"));
  show(version("2"));
  expect(own.newest(version("1"))).toEqual(version("1"));
  own.wrote(version("3"));
  drop();
  expect(own.newest(version("1"))).toEqual(version("1"));
});
