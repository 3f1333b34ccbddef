/** The commands for counters and lists. Where the SDK refuses, they say so and the game goes on. */
import { type Command, integer, orRefusal, plain, withWords } from "./replies.ts";
import type { Counter, List, SdkClient } from "./sdk-client.ts";

type Key = readonly [key: string];
type KeyAndValue = readonly [key: string, value: string];

/** Reads something of a counter or a list. */
const read = <Read>(
  name: string,
  get: (sdk: SdkClient, key: string) => Promise<Read>,
  show: (read: Read) => string,
  refusal = "-1",
): Command =>
  withWords<Key>(name, 1, ([key], { sdk }) => orRefusal(async () => plain(show(await get(sdk, key))), refusal));

/** Changes a counter or a list by an amount. */
const change = (name: string, act: (sdk: SdkClient, key: string, amount: bigint) => Promise<unknown>): Command =>
  withWords<KeyAndValue>(name, 2, ([key, amount], { sdk }) =>
    succeed(() => act(sdk, key, integer(amount, "ParseInt"))),
  );

const succeed = (act: () => Promise<unknown>) =>
  orRefusal(async () => {
    await act();
    return plain("SUCCESS");
  });

const changeValue = (name: string, verb: "addValue" | "removeValue"): Command =>
  withWords<KeyAndValue>(name, 2, ([key, value], { sdk }) => succeed(() => sdk.changeList(key, verb, value)));

const counter = (sdk: SdkClient, key: string): Promise<Counter> => sdk.counter(key);
const list = (sdk: SdkClient, key: string): Promise<List> => sdk.list(key);

export const COUNT_COMMANDS: Readonly<Record<string, Command>> = {
  GET_COUNTER_COUNT: read("GET_COUNTER_COUNT", counter, ({ count }) => `COUNTER: ${count}`),
  GET_COUNTER_CAPACITY: read("GET_COUNTER_CAPACITY", counter, ({ capacity }) => `CAPACITY: ${capacity}`),
  INCREMENT_COUNTER: change("INCREMENT_COUNTER", (sdk, key, amount) => sdk.changeCounter(key, "increment", amount)),
  DECREMENT_COUNTER: change("DECREMENT_COUNTER", (sdk, key, amount) => sdk.changeCounter(key, "decrement", amount)),
  SET_COUNTER_COUNT: change("SET_COUNTER_COUNT", (sdk, key, amount) => sdk.setCounter(key, "count", amount)),
  SET_COUNTER_CAPACITY: change("SET_COUNTER_CAPACITY", (sdk, key, amount) => sdk.setCounter(key, "capacity", amount)),
  GET_LIST_CAPACITY: read("GET_LIST_CAPACITY", list, ({ capacity }) => `CAPACITY: ${capacity}`),
  SET_LIST_CAPACITY: change("SET_LIST_CAPACITY", (sdk, key, amount) => sdk.setListCapacity(key, amount)),
  LIST_CONTAINS: withWords<KeyAndValue>("LIST_CONTAINS", 2, ([key, value], { sdk }) =>
    orRefusal(async () => plain(`FOUND: ${(await sdk.list(key)).values.includes(value)}`), "false"),
  ),
  GET_LIST_LENGTH: read("GET_LIST_LENGTH", list, ({ values }) => `LENGTH: ${values.length}`),
  GET_LIST_VALUES: read(
    "GET_LIST_VALUES",
    list,
    ({ values }) => `VALUES: ${values.length > 0 ? values.join(",") : "<none>"}`,
    "INVALID LIST NAME",
  ),
  APPEND_LIST_VALUE: changeValue("APPEND_LIST_VALUE", "addValue"),
  DELETE_LIST_VALUE: changeValue("DELETE_LIST_VALUE", "removeValue"),
};
