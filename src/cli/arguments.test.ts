import { describe, expect, test } from "vitest";
import { amount, hostAddress, imageName, labelName, notEmpty, portRange, readableBy } from "./arguments.ts";

/** The fault that a person is told; `undefined` for what is taken. */
const faultOf = (parse: (text: string) => unknown, text: string): string | undefined => {
  try {
    readableBy(parse)(text);
  } catch (error) {
    return (error as Error).message;
  }
};

test("a range of ports says which rule is broken", () => {
  expect(portRange("7000-7000")).toEqual({ first: 7000, last: 7000 });
  expect(faultOf(portRange, "8000-7000")).toBe("The first port must not be greater than the last.");
  for (const text of ["0-7000", "7000-65536", "70000-80000"]) expect(faultOf(portRange, text)).toContain("to 65535");
  for (const text of ["", "7000", "a-b", "7000-8000-9000", "-1-5", "7e3-8000", " 7000-8000"])
    expect(faultOf(portRange, text)).toContain("FIRST-LAST");
});

test("an amount is a quantity above zero", () => {
  for (const text of ["1", "500m", "8Gi"]) expect(faultOf(amount, text)).toBeUndefined();
  for (const text of ["0", "-2", "-1Gi", "0Mi"]) expect(faultOf(amount, text)).toBe("It must be greater than zero.");
  for (const text of ["", "much", "8GB"])
    expect(faultOf(amount, text)).toBe("It must be an amount, such as 2, 500m or 8Gi.");
});

test("an address is an IP address or a host name, and leads to one machine", () => {
  for (const text of ["192.168.1.20", "2001:db8::1", "games.example.com", "my-host", "Host1"])
    expect(faultOf(hostAddress, text)).toBeUndefined();
  for (const text of ["", "999.1.1.1", "1.2.3", "0.0.0.0", "::", "a b", "http://x", "192.168.1.20:7000", "-x"])
    expect(faultOf(hostAddress, text)).toContain("IP address");
});

describe("names", () => {
  test("of images are those that registries take", () => {
    for (const text of [
      "game",
      "my-game:1.2",
      "localhost:5000/a/b_c",
      "registry.example.com/x__y:V1",
      "a/b@sha256:".padEnd(43, "0"),
    ])
      expect(faultOf(imageName, text)).toBeUndefined();
    for (const text of ["", "Bad Name!", "Upper", "a//b", "/a", "a/", "a:", "a:b c", "-a"])
      expect(faultOf(imageName, text)).toContain("an image's name");
  });

  test("of fleets are labels", () => {
    expect(faultOf(labelName, "arena-2")).toBeUndefined();
    for (const text of ["", "Grüße!", "a.b", "Arena", "-a", "a".repeat(64)])
      expect(faultOf(labelName, text)).toBe(
        "It must be 1 to 63 small letters, digits and -, with a letter or a digit at both ends, such as my-game-2.",
      );
  });

  test("of folders are not empty", () => {
    expect(faultOf(notEmpty, "x")).toBeUndefined();
    expect(faultOf(notEmpty, "")).toBe("It must not be empty.");
  });
});
