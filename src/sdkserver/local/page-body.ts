/** What does not change while the page is open. */
export const PAGE_BODY = /* html */ `
<header>
  <h1 id="name">GameServer</h1>
  <span id="state" role="status" aria-live="polite">…</span>
  <span id="note" role="alert">connecting</span>
</header>
<main>
  <section aria-labelledby="act"><h2 id="act">Ask for</h2>
    <div class="row">
      <button class="main" data-call="POST /allocate">Allocate</button>
      <button data-call="POST /ready">Ready</button>
      <button data-call="POST /shutdown">Shutdown</button>
      <button data-call="POST /health">Health ping</button>
    </div>
    <form id="reserve"><button>Reserve</button>
      <label>for <input name="seconds" type="number" min="0" value="30" required></label> seconds, 0 for no end</form>
  </section>
  <section aria-labelledby="is"><h2 id="is">Status</h2><dl id="status"></dl></section>
  <section aria-labelledby="labelled"><h2 id="labelled">Labels</h2><dl id="labels"></dl>
    <form id="label"><input name="key" placeholder="key" aria-label="key of the label" required>
      <input name="value" placeholder="value" aria-label="value of the label"><button>Set label</button></form>
  </section>
  <section aria-labelledby="annotated"><h2 id="annotated">Annotations</h2><dl id="annotations"></dl>
    <form id="annotation"><input name="key" placeholder="key" aria-label="key of the annotation" required>
      <input name="value" placeholder="value" aria-label="value of the annotation"><button>Set annotation</button></form>
  </section>
  <section aria-labelledby="counted"><h2 id="counted">Counters</h2><div class="rows" id="counters"></div></section>
  <section aria-labelledby="listed"><h2 id="listed">Lists</h2><div class="rows" id="lists"></div></section>
  <section aria-labelledby="played" id="players" hidden><h2 id="played">Players</h2><dl id="ids"></dl>
    <form id="player"><input name="playerID" placeholder="player" aria-label="id of the player" required>
      <button value="connect">Connect</button><button value="disconnect">Disconnect</button></form>
    <form id="capacity"><label>capacity <input name="count" type="number" min="0" required></label><button>Set</button></form>
  </section>
  <section aria-labelledby="heard"><h2 id="heard">What happened</h2><ol id="happened" tabindex="0"></ol></section>
</main>
`;
