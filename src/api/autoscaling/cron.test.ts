import { describe, expect, test } from "vitest";
import { CronError, parseCron } from "./cron.ts";
import { nextOccurrence } from "./cron-next.ts";

const calendar = (text: string) => {
  const cron = parseCron(text);
  if (cron.type !== "calendar") throw new Error(`${text} is no calendar`);
  return cron;
};
const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds;
const next = (cron: string, after: string, zone = "UTC") => {
  const found = nextOccurrence(parseCron(cron), at(after), zone);
  return found === undefined
    ? undefined
    : Temporal.Instant.fromEpochMilliseconds(found).toString({
        timeZone: zone === "UTC" ? undefined : zone,
        smallestUnit: "second",
      });
};

describe("a field", () => {
  test.each([
    ["5", [5]],
    ["5,7,9", [5, 7, 9]],
    ["5-8", [5, 6, 7, 8]],
    ["50-59/3", [50, 53, 56, 59]],
    ["40/10", [40, 50]],
    ["*/20", [0, 20, 40]],
    ["?/30", [0, 30]],
    ["1,,2,", [1, 2]],
    [",", []],
    ["+5", [5]],
    ["007", [7]],
  ])("%s means %j", (text, values) => {
    expect([...calendar(`${text} * * * *`).minutes]).toEqual(values);
  });

  test("knows months and days of the week by name, in any case", () => {
    const cron = calendar("0 0 1 jan,FEB-Apr Mon-FRI/2");
    expect([...cron.months]).toEqual([1, 2, 3, 4]);
    expect([...cron.weekdays]).toEqual([1, 3, 5]);
    expect([...calendar("0 0 * * SUN").weekdays]).toEqual([0]);
  });

  test.each([
    ["* * * * *", true],
    ["* * 1 * *", true],
    ["* * ? * 1", true],
    ["* * */1 * 1", true],
    ["* * 1 * 1,*", true],
    ["* * */2 * 1", false],
    ["* * 1 * 1", false],
    ["* * 1 * 0-6", false],
  ])("%s: both days must match is %s", (text, both) => {
    expect(calendar(text).bothDays).toBe(both);
  });

  test.each([
    ["", "empty spec string"],
    ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
    ["0 * * * * *", "expected exactly 5 fields, found 6: [0 * * * * *]"],
    [" @hourly", "expected exactly 5 fields, found 1: [@hourly]"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["* 24 * * *", "end of range (24) above maximum (23): 24"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["* * * 13 *", "end of range (13) above maximum (12): 13"],
    ["* * * * 7", "end of range (7) above maximum (6): 7"],
    ["9-5 * * * *", "beginning of range (9) beyond end of range (5): 9-5"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["*/-1 * * * *", "negative number (-1) not allowed: -1"],
    ["x * * * *", 'failed to parse int from x: "x" must be a whole number'],
    ["5- * * * *", 'failed to parse int from : "" must be a whole number'],
    ["99999999999999999999 * * * *", /is too large$/],
    ["* * * * L", /^failed to parse int from L/],
    ["jan * * * *", /^failed to parse int from jan/],
    ["@Hourly", "unrecognized descriptor: @Hourly"],
    ["@every", "unrecognized descriptor: @every"],
    ["@every soon", 'failed to parse duration @every soon: time: invalid duration "soon"'],
    ["TZ=UTC 0 0 * * *", "expected exactly 5 fields, found 6: [TZ=UTC 0 0 * * *]"],
  ])("%j is refused", (text, message) => {
    expect(() => parseCron(text)).toThrow(CronError);
    expect(() => parseCron(text)).toThrow(message);
  });
});

describe("the next occurrence", () => {
  test.each([
    ["* * * * *", "2030-01-01T00:00:00Z", "2030-01-01T00:01:00Z"],
    ["* * * * *", "2030-01-01T00:00:59.999Z", "2030-01-01T00:01:00Z"],
    ["30 17 * * 6,0", "2030-05-01T00:00:00Z", "2030-05-04T17:30:00Z"],
    ["30 17 * * 6,0", "2030-05-04T17:30:00Z", "2030-05-05T17:30:00Z"],
    ["0 0 31 * *", "2030-01-31T00:00:00Z", "2030-03-31T00:00:00Z"],
    ["0 0 29 2 *", "2029-01-01T00:00:00Z", "2032-02-29T00:00:00Z"],
    ["0 12 13 * 5", "2030-01-01T00:00:00Z", "2030-01-04T12:00:00Z"],
    ["0 12 13 * 5", "2030-01-11T12:00:00Z", "2030-01-13T12:00:00Z"],
    ["0 12 13 * *", "2030-01-01T00:00:00Z", "2030-01-13T12:00:00Z"],
    ["0 12 * * 5", "2030-01-12T00:00:00Z", "2030-01-18T12:00:00Z"],
    ["0 12 */2 * 5", "2030-01-01T12:00:00Z", "2030-01-03T12:00:00Z"],
    ["59 23 31 12 *", "2030-12-31T23:59:00Z", "2031-12-31T23:59:00Z"],
    ["@yearly", "2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z"],
    ["@annually", "2030-06-01T00:00:00Z", "2031-01-01T00:00:00Z"],
    ["@monthly", "2030-01-01T00:00:00Z", "2030-02-01T00:00:00Z"],
    ["@weekly", "2030-01-01T00:00:00Z", "2030-01-06T00:00:00Z"],
    ["@daily", "2030-01-01T00:00:00Z", "2030-01-02T00:00:00Z"],
    ["@midnight", "2030-01-01T23:59:59Z", "2030-01-02T00:00:00Z"],
    ["@hourly", "2030-01-01T00:30:00Z", "2030-01-01T01:00:00Z"],
    ["@every 90m", "2030-01-01T00:00:30.500Z", "2030-01-01T01:30:30Z"],
    ["@every 1500ms", "2030-01-01T00:00:00Z", "2030-01-01T00:00:01Z"],
    ["@every 1ms", "2030-01-01T00:00:00Z", "2030-01-01T00:00:01Z"],
  ])("of %s after %s is %s", (cron, after, expected) => {
    expect(next(cron, after)).toBe(expected);
  });

  test.each([
    [
      "what leaps over a gap does not happen",
      "30 2 * * *",
      "2030-03-31T00:00:00Z",
      "Europe/Oslo",
      "2030-04-01T02:30:00+02:00",
    ],
    ["each hour passes over a gap", "0 * * * *", "2030-03-31T00:00:00Z", "Europe/Oslo", "2030-03-31T03:00:00+02:00"],
    [
      "a time shown twice happens once",
      "30 2 * * *",
      "2030-10-26T12:00:00Z",
      "Europe/Oslo",
      "2030-10-27T02:30:00+02:00",
    ],
    ["and again", "30 2 * * *", "2030-10-27T00:30:00Z", "Europe/Oslo", "2030-10-27T02:30:00+01:00"],
    ["and no third time", "30 2 * * *", "2030-10-27T01:30:00Z", "Europe/Oslo", "2030-10-28T02:30:00+01:00"],
    [
      "the very instant of the change counts",
      "0 3 * * *",
      "2030-03-31T00:59:59Z",
      "Europe/Oslo",
      "2030-03-31T03:00:00+02:00",
    ],
    ["clocks of New York", "0 9 * * MON-FRI", "2030-07-05T20:00:00Z", "America/New_York", "2030-07-08T09:00:00-04:00"],
    [
      "half an hour of change",
      "15 2 * * *",
      "2030-10-05T00:00:00Z",
      "Australia/Lord_Howe",
      "2030-10-07T02:15:00+11:00",
    ],
    [
      "a day that has no midnight",
      "0 0 * * *",
      "2018-11-03T12:00:00Z",
      "America/Sao_Paulo",
      "2018-11-05T00:00:00-02:00",
    ],
    [
      "an hour of the day that has none",
      "0 12 * * SUN",
      "2022-03-26T12:00:00Z",
      "Asia/Beirut",
      "2022-03-27T12:00:00+03:00",
    ],
    ["a quarter of an hour off", "0 0 * * *", "2030-01-01T00:00:00Z", "Asia/Kathmandu", "2030-01-02T00:00:00+05:45"],
    ["a day that was left out", "0 12 30 12 *", "2011-01-01T00:00:00Z", "Pacific/Apia", "2012-12-30T12:00:00+14:00"],
  ])("%s", (_, cron, after, zone, expected) => {
    expect(next(cron, after, zone)).toBe(expected);
  });

  test.each([
    ["0 0 30 2 *", "2030-01-01T00:00:00Z", "UTC"],
    ["0 0 31 4,6,9,11 *", "2030-01-01T00:00:00Z", "Europe/Oslo"],
    [", * * * *", "2030-01-01T00:00:00Z", "UTC"],
    ["0 0 29 2 *", "2097-01-01T00:00:00Z", "Europe/Oslo"],
  ])("of %s after %s in %s is given up", (cron, after, zone) => {
    expect(next(cron, after, zone)).toBeUndefined();
  });

  test("is looked for to the end of the fifth year to come", () => {
    expect(next("0 0 29 2 *", "2099-01-01T00:00:00Z")).toBe("2104-02-29T00:00:00Z");
    expect(next("0 0 29 2 *", "2098-12-31T23:59:59Z")).toBeUndefined();
  });

  test("of an unknown zone is an error", () => {
    expect(() => next("* * * * *", "2030-01-01T00:00:00Z", "Mars/Base")).toThrow(RangeError);
  });
});
