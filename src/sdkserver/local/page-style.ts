/** Colours follow the system's light or dark. */
export const PAGE_STYLE = /* css */ `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f6f6f3, #16181b);
  --card: light-dark(#ffffff, #1f2226);
  --line: light-dark(#dcdcd6, #33373d);
  --text: light-dark(#1d1f22, #e8e8e4);
  --soft: light-dark(#63666b, #9a9ea5);
  --accent: light-dark(#0b6e4f, #4cc79a);
  --warn: light-dark(#a13b1e, #f08a6a);
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem; background: var(--ground); color: var(--text);
  font: 15px/1.45 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .5rem 1rem; margin-bottom: 1rem; }
h1 { margin: 0; font-size: 1.5rem; font-weight: 650; overflow-wrap: anywhere; }
h2 { margin: 0 0 .6rem; font-size: .8rem; font-weight: 650; letter-spacing: .04em; text-transform: uppercase; color: var(--soft); }
#state { padding: .15rem .7rem; border-radius: 1rem; background: var(--soft); color: var(--ground); font-weight: 600; }
#state[data-state="Ready"] { background: var(--accent); }
#state[data-state="Allocated"], #state[data-state="Reserved"] { background: light-dark(#1d5fa8, #7fb6f2); }
#state[data-state="Shutdown"], #state[data-state="Unhealthy"], #state[data-state="Error"] { background: var(--warn); }
#note { margin-left: auto; color: var(--soft); }
#note.bad { color: var(--warn); font-weight: 600; }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1rem; align-items: start; }
section { padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; min-width: 0; }
section[hidden] { display: none; }
dl, .rows { display: grid; gap: .35rem .8rem; margin: 0; }
dl { grid-template-columns: minmax(6rem, max-content) 1fr; }
dt { color: var(--soft); overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; }
form, .row { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem; }
form { margin-top: .8rem; }
.row > strong { min-width: 6rem; overflow-wrap: anywhere; }
.row > output { min-width: 6rem; font-variant-numeric: tabular-nums; }
.values { display: flex; flex-wrap: wrap; gap: .3rem; width: 100%; }
.values button { font-size: .85rem; }
button, input, select { font: inherit; color: inherit; padding: .3rem .7rem; border: 1px solid var(--line); border-radius: .4rem;
  background: var(--ground); }
button { cursor: pointer; }
button:hover { border-color: var(--accent); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--ground); font-weight: 600; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
input { width: 9rem; }
input[type="number"] { width: 6.5rem; }
#happened { list-style: none; margin: 0; padding: 0; max-height: 16rem; overflow: auto; font: 13px/1.5 ui-monospace, monospace; }
#happened li { overflow-wrap: anywhere; }
#happened time { color: var(--soft); margin-right: .6rem; }
.none { color: var(--soft); }
`;
