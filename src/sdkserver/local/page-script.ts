/** Plain JavaScript of the browser. Every text of the GameServer goes in as text, never as HTML. */
export const PAGE_SCRIPT = /* js */ `"use strict";
const at = (id) => document.getElementById(id);
const make = (tag, props, ...children) => {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...children);
  return element;
};
const note = (text, bad) => { at("note").textContent = text; at("note").className = bad ? "bad" : ""; };

async function call(verb, path, body) {
  try {
    const response = await fetch(path, { method: verb, body: body === undefined ? "{}" : JSON.stringify(body) });
    const answer = await response.json();
    if (response.ok) return note("", false);
    note(answer.message, true);
  } catch (error) {
    note(String(error.message || error), true);
  }
}
const button = (text, label, act) => make("button", { type: "button", textContent: text, ariaLabel: label, onclick: act });
const pairs = (list, entries) => list.replaceChildren(...(entries.length ? entries.flatMap(([name, value]) =>
  [make("dt", { textContent: name }), make("dd", { textContent: value })]) : [make("dd", { className: "none", textContent: "none" })]));
const byName = (map) => Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));

/** One element for each name, kept while the name is there, so that what is being typed stays. */
function rows(home, map, create) {
  const old = home.rows ??= new Map();
  const now = new Map(byName(map).map(([name, value]) => {
    const row = old.get(name) ?? create(name);
    row.show(value);
    return [name, row];
  }));
  home.rows = now;
  const elements = [...now.values()].map((row) => row.element);
  const same = elements.length === home.children.length && elements.every((each, index) => home.children[index] === each);
  if (!elements.length) home.replaceChildren(make("span", { className: "none", textContent: "none" }));
  else if (!same) home.replaceChildren(...elements);
}

/** A field with a button; the field's value goes to act. */
function field(type, text, label, act) {
  const input = make("input", { type, ariaLabel: label, required: true });
  const form = make("form", { onsubmit: (event) => { event.preventDefault(); act(input.value); if (type === "text") input.value = ""; } },
    input, make("button", { textContent: text }));
  form.style.margin = "0";
  return form;
}

function counter(name) {
  const shown = make("output", {});
  const change = (request) => call("PATCH", "/v1beta1/counters/" + encodeURIComponent(name), request);
  const element = make("div", { className: "row" }, make("strong", { textContent: name }), shown,
    button("−", "one less of " + name, () => change({ countDiff: "-1" })),
    button("+", "one more of " + name, () => change({ countDiff: "1" })),
    field("number", "Set count", "count of " + name, (count) => change({ count })),
    field("number", "Set capacity", "capacity of " + name, (capacity) => change({ capacity })));
  return { element, show: ({ count, capacity }) => { shown.textContent = count + " of " + capacity; } };
}

function list(name) {
  const shown = make("output", {});
  const values = make("div", { className: "values" });
  const path = "/v1beta1/lists/" + encodeURIComponent(name);
  const element = make("div", { className: "row" }, make("strong", { textContent: name }), shown,
    field("text", "Add", "value for " + name, (value) => call("POST", path + ":addValue", { value })),
    field("number", "Set capacity", "capacity of " + name, (capacity) => call("PATCH", path, { capacity })), values);
  return { element, show: (held) => {
    shown.textContent = held.values.length + " of " + held.capacity;
    values.replaceChildren(...held.values.map((value) =>
      button(value + " ×", "remove " + value, () => call("POST", path + ":removeValue", { value }))));
  } };
}

/** What differs, as lines of name, old and new. */
function differences(before, after, path) {
  const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (isMap(before) && isMap(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .flatMap((name) => differences(before[name], after[name], path ? path + "." + name : name));
  const [old, now] = [JSON.stringify(before), JSON.stringify(after)];
  return old === now ? [] : [path + ": " + (old ?? "none") + " → " + (now ?? "none")];
}
const quiet = ({ object_meta: { resource_version, generation, ...meta }, ...rest }) => ({ metadata: meta, ...rest });

let last;
function show(server) {
  const { object_meta: meta, spec, status } = server;
  at("name").textContent = meta.namespace + "/" + meta.name;
  document.title = meta.name + " · " + status.state;
  at("state").textContent = status.state || "no state";
  at("state").dataset.state = status.state;
  const { health } = spec;
  pairs(at("status"), [
    ["address", status.address || "none"],
    ...status.ports.map(({ name, port }) => ["port " + name, String(port)]),
    ...status.addresses.map(({ type, address }) => [type, address]),
    ["health", health.disabled ? "disabled" : "every " + health.period_seconds + " s, " + health.failure_threshold + " may be missed"],
    ["uid", meta.uid],
    ["version", meta.resource_version + ", generation " + meta.generation],
  ]);
  pairs(at("labels"), byName(meta.labels));
  pairs(at("annotations"), byName(meta.annotations));
  rows(at("counters"), status.counters, counter);
  rows(at("lists"), status.lists, list);
  at("players").hidden = !status.players;
  if (status.players) pairs(at("ids"), [
    ["connected", status.players.count + " of " + status.players.capacity],
    ...status.players.ids.map((id) => ["player", id]),
  ]);
  if (last) for (const line of differences(quiet(last), quiet(server), ""))
    at("happened").prepend(make("li", {}, make("time", { textContent: new Date().toLocaleTimeString() }), line));
  while (at("happened").children.length > 200) at("happened").lastChild.remove();
  last = server;
}

async function follow() {
  const response = await fetch("/watch/gameserver");
  note("", false);
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\\n");
    rest = lines.pop();
    for (const line of lines) if (line) show(JSON.parse(line).result);
  }
}
async function followForEver() {
  for (;;) {
    try { await follow(); } catch {}
    note("the SDK server does not answer", true);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

for (const each of document.querySelectorAll("[data-call]")) each.onclick = () => call(...each.dataset.call.split(" "));
const onSubmit = (id, act) => { at(id).onsubmit = (event) => {
  event.preventDefault();
  act(Object.fromEntries(new FormData(event.target)), event.submitter);
}; };
onSubmit("reserve", ({ seconds }) => call("POST", "/reserve", { seconds }));
onSubmit("label", (entry) => call("PUT", "/metadata/label", entry));
onSubmit("annotation", (entry) => call("PUT", "/metadata/annotation", entry));
onSubmit("player", (player, { value }) => call("POST", "/alpha/player/" + value, player));
onSubmit("capacity", (capacity) => call("PUT", "/alpha/player/capacity", capacity));
followForEver();
`;
