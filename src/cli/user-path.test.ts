import { expect, test } from "vitest";
import { userPath } from "./user-path.ts";

const npm =
  "/home/ann/a/node_modules/.bin:/home/ann/node_modules/.bin:/node_modules/.bin:/usr/lib/npm/lib/node-gyp-bin:";

test("what npm put in front of a PATH is taken away, also when one npm started another", () => {
  expect(userPath(`${npm}/usr/bin:/bin`)).toBe("/usr/bin:/bin");
  expect(userPath(`${npm}${npm}/usr/bin:/bin`)).toBe("/usr/bin:/bin");
});

test("what a person put there stays", () => {
  for (const path of ["", "/usr/bin:/bin", "/home/me/game/node_modules/.bin:/usr/bin", "/opt/node-gyp-bin:/usr/bin"])
    expect(userPath(path)).toBe(path);
  expect(userPath(`${npm}/home/me/game/node_modules/.bin:/bin`)).toBe("/home/me/game/node_modules/.bin:/bin");
});
