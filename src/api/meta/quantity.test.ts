import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  QuantityError,
  quantityToNumber,
  quantityToString,
  subtractQuantities,
} from "./quantity.ts";

describe("quantities", () => {
  it.each([
    ["0", "0"],
    ["-0", "0"],
    ["1000m", "1"],
    ["0.5", "500m"],
    ["1.5", "1500m"],
    ["+1.50", "1500m"],
    [".25", "250m"],
    ["3.", "3."],
    ["1500", "1500"],
    ["100000", "100k"],
    ["100M", "100M"],
    ["0.1n", "1n"],
    ["-0.1n", "-1n"],
    ["12E", "12E"],
    ["5000E", "5000E"],
    ["1Ki", "1Ki"],
    ["1024Ki", "1Mi"],
    ["1.5Gi", "1536Mi"],
    ["0.5Ki", "512"],
    ["0.1Ki", "102400m"],
    ["1.1Ki", "1126400m"],
    ["0.0001Ki", "102400u"],
    ["9Ei", "9223372036854775807"],
    ["1e3", "1e3"],
    ["1E3", "1E3"],
    ["1000E3", "1e6"],
    ["12e-1", "1200e-3"],
    ["1e0", "1e0"],
    ["10e1", "100"],
    ["1.500", "1.500"],
    ["1.5000", "1500m"],
    ["2.500Gi", "2560Mi"],
    ["0.500", "500m"],
    ["7Mi", "7Mi"],
    ["+7", "+7"],
    ["007", "007"],
    ["1024.E", "1024.E"],
    ["1025.Ki", "1025.Ki"],
    ["8.Ki", "8Ki"],
    ["+", "0"],
    ["Gi", "0"],
    [".", "0"],
    ["-m", "0"],
    ["000", "0"],
    ["0.0001e-6", "1e-9"],
  ])("%s is written as %s", (text, canonical) => {
    expect(quantityToString(parseQuantity(text))).toBe(canonical);
  });

  it.each([
    ["", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["one", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["1.1.", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["e-10", "unable to parse numeric part of quantity"],
    [".Ei", "unable to parse numeric part of quantity"],
    ["1 Gi", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ["1K", "unable to parse quantity's suffix"],
    ["1mi", "unable to parse quantity's suffix"],
    ["1e", "unable to parse quantity's suffix"],
    ["1e999999999999", "unable to parse quantity's suffix"],
    ["9".repeat(1000), "unable to parse numeric part of quantity"],
  ])("%j is refused with Kubernetes' text", (text, message) => {
    expect(() => parseQuantity(text)).toThrow(new QuantityError(message));
  });

  it("come from JSON numbers too", () => {
    expect(quantityToString(parseQuantity(0.5))).toBe("500m");
    expect(quantityToString(parseQuantity(2n ** 62n))).toBe("4611686018427387904");
  });

  it("compare by value, however they are written", () => {
    expect(compareQuantities(parseQuantity("1"), parseQuantity("1000m"))).toBe(0);
    expect(compareQuantities(parseQuantity("1Gi"), parseQuantity("1G"))).toBe(1);
    expect(compareQuantities(parseQuantity("-1"), parseQuantity("0"))).toBe(-1);
  });

  it("add and subtract exactly, written like the first", () => {
    const [big, small] = [parseQuantity("1Gi"), parseQuantity("512Mi")];
    expect(quantityToString(addQuantities(big, small))).toBe("1536Mi");
    expect(quantityToString(subtractQuantities(small, big))).toBe("-512Mi");
    expect(quantityToString(addQuantities(parseQuantity("0"), small))).toBe("512Mi");
    expect(quantityToString(addQuantities(parseQuantity("0.1"), parseQuantity("0.2")))).toBe("300m");
  });

  it("become numbers rounded away from zero", () => {
    expect(quantityToNumber(parseQuantity("64Mi"))).toBe(67108864);
    expect(quantityToNumber(parseQuantity("1m"))).toBe(1);
    expect(quantityToNumber(parseQuantity("1.5"), "milli")).toBe(1500);
    expect(quantityToNumber(parseQuantity("-1500m"))).toBe(-2);
  });

  it("keep their value through their text", () => {
    const suffix = fc.constantFrom("", "n", "u", "m", "k", "M", "G", "Ki", "Mi", "Gi", "e3", "e-3");
    fc.assert(
      fc.property(fc.integer(), fc.nat(999), suffix, (whole, fraction, unit) => {
        const quantity = parseQuantity(`${whole}.${fraction}${unit}`);
        expect(compareQuantities(parseQuantity(quantityToString(quantity)), quantity)).toBe(0);
      }),
    );
  });

  it("never fail with anything but a QuantityError", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."0123456789.+-eEinumkKMGTP "), maxLength: 12 }), (text) => {
        try {
          parseQuantity(text);
        } catch (error) {
          expect(error).toBeInstanceOf(QuantityError);
        }
      }),
    );
  });
});
