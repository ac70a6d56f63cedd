"use strict";
/**
 * The page of a seat. The server sends views, numbered from 0; each has the news since the one before, and at its
 * end what the player is asked. They are shown in order: a page that misses some, because it was loaded anew or was
 * asleep, asks for them. An answer goes to the server, which sends the next view; it counts once, however often it
 * is sent, because it names the ask.
 */
(() => {
  const page = (id) => document.getElementById(id);
  const { element } = arena;
  const here = location.pathname.replace(/\/$/, "");
  const { game, seat: number, names, turns } = page("seat").dataset;
  const seat = Number(number);
  arena.own = seat;
  const seats = JSON.parse(names).map((bot, index) => ({ name: `p${index + 1}`, bot }));
  arena.names = seats.map(({ bot }) => bot);

  const [MANY, LATEST] = [20, 12]; // views that wait; news above the question
  const [SLOWEST_MS, RETRY_MS] = [1200, 1000]; // between two views; while the server is away
  const isStill = matchMedia("(prefers-reduced-motion: reduce)");

  const waiting = []; // views that are not shown yet
  let timer = null; // for the next one of them
  const news = []; // all that was heard
  let lines = []; // the last state lines
  let next = 0; // the number of the first view that is missing
  let ask = null;
  let isLive = false; // the last view came as soon as it was made
  let sent = null; // the answer that the server has not shown to have taken

  // Views

  function receive(view) {
    if (view.n > last() + 1) catchUp();
    else if (view.n === last() + 1) add([view]);
  }

  const last = () => waiting.at(-1)?.n ?? next - 1;

  let isCatching = false;
  async function catchUp() {
    if (isCatching) return;
    isCatching = true;
    try {
      const answer = await fetch(`${here}/views?after=${last()}`);
      if (answer.ok) add((await answer.json()).filter(({ n }) => n > last()));
    } catch {
      setAway(true); // the stream comes back, and with it the latest view
    } finally {
      isCatching = false;
    }
  }

  /** Views are shown one after the other, so that the player sees who did what; a key or a click shows the rest. */
  function add(views) {
    waiting.push(...views);
    if (next === 0 || waiting.length > MANY || document.hidden || isStill.matches) showAll();
    else if (!timer) showNext();
  }

  function showNext() {
    timer = null;
    if (!waiting.length) return;
    const view = waiting.shift();
    take([view]);
    timer = setTimeout(showNext, Math.min(SLOWEST_MS, 0.4 * pace(view)));
  }

  function showAll() {
    clearTimeout(timer);
    timer = null;
    if (waiting.length) take(waiting.splice(0));
  }

  const pace = ({ news }) =>
    news.reduce((sum, [, text]) => sum + (arena.manners[game]?.paces?.[text.split(" ")[0]] ?? 0), 0);

  /** Show views that follow each other; of several at once, only the last table is drawn. */
  function take(views) {
    for (const view of views) tell(view);
    showLatest();
    const view = views.at(-1);
    isLive = views.length === 1 && next > 0;
    next = view.n + 1;
    draw(isLive);
    if (view.ask?.id !== sent?.ask || view.refused) sent = null;
    ask = view.ask;
    showAsk(view);
    if (view.over) showEnd(view.over);
  }

  function tell(view) {
    lines = view.state ?? lines;
    for (const [kind, text, sentence] of view.news.filter(([, text]) => text)) {
      if (kind === "event" || kind === "secret") news.push({ to: kind === "secret" ? seat : null, text, sentence });
      const item = entry(kind, text, sentence);
      fresh.push(item);
      page("log").append(item);
    }
  }

  const fresh = []; // the news since the last answer: marked, and on a narrow page above the question, too

  function showLatest() {
    const copies = fresh.slice(-LATEST).flatMap((item) => [...item.cloneNode(true).childNodes, " "]);
    page("latest").replaceChildren(...copies);
    for (const place of [page("log"), page("latest")]) place.scrollTop = place.scrollHeight;
  }

  function forgetFresh() {
    for (const item of fresh.splice(0)) item.classList.remove("fresh");
  }

  function entry(kind, text, sentence) {
    const isTurn = kind === "event" && /^(turn|stage|manche)\b/.test(text);
    const isMine = new RegExp(`(^|[ .:@=])p${seat + 1}\\b`).test(text);
    const names = ["fresh", isTurn ? "turn" : kind, isMine && "mine"].filter(Boolean).join(" ");
    return element("p", { class: names }, arena.text(sentence));
  }

  function draw(isMoving) {
    const table = page("table");
    const still = isMoving ? arena.stillOf(table) : null;
    table.replaceChildren(arena.drawn(game, arena.scene(seats, seat, lines, news)));
    table.querySelectorAll(".box")[seat]?.classList.add("own");
    arena.motion(still, table);
  }

  // What is asked

  function showAsk(view) {
    page("seat").classList.toggle("asked", Boolean(ask));
    document.title = `${ask ? "Your turn: " : ""}${document.querySelector("h1").textContent}`;
    page("slip").textContent = view.refused ? `${view.refused.word}: ${view.refused.reason}` : "";
    page("why").textContent = "";
    const question = ask ? ask.text.split("\n") : [waitsFor(view)];
    const hadFocus = document.activeElement === document.body || page("choices").contains(document.activeElement);
    page("question").replaceChildren(...question.map((line) => element("span", { class: "line" }, arena.text(line))));
    page("choices").classList.remove("sent");
    page("choices").replaceChildren(...(ask ? arena.choices(ask, { game, seats, seat, lines, say, why }) : []));
    page("clock").hidden = !(ask && ask.move !== null && ask.move !== undefined);
    startClock();
    // The button that had the focus is gone. A player who reads the rules or the news is not taken away from them.
    if (ask && hadFocus) page("choices").querySelector("button:not([aria-disabled])")?.focus({ preventScroll: true });
    if (!page("rules").hidden) showRule();
  }

  function waitsFor({ over, turn }) {
    if (over) return "";
    const others = (turn ?? []).filter((each) => each !== seat).map((each) => `p${each + 1}`);
    return others.length ? `Waiting for ${others.join(" and ")} …` : "Waiting for the others …";
  }

  const why = (reason) => (page("why").textContent = arena.plainText(reason));

  async function say(word) {
    if (!ask || sent) return;
    sent = { ask: ask.id, word };
    forgetFresh();
    page("choices").classList.add("sent");
    await deliver();
  }

  /** Send the answer until the server has it. Only a later view shows that the game has it; it counts once. */
  let isDelivering = false;
  async function deliver() {
    if (isDelivering) return;
    isDelivering = true;
    const mine = sent;
    let answer = null;
    while (sent === mine && !(answer = await post("answer", mine))) await new Promise((done) => setTimeout(done, RETRY_MS));
    isDelivering = false;
    if (!answer?.error) return;
    sent = null;
    page("choices").classList.remove("sent");
    page("slip").textContent = answer.error;
  }

  /** The answer of the server; null if it is away. */
  async function post(what, values = {}) {
    try {
      const answer = await fetch(`${here}/${what}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(values),
      });
      const isOurs = answer.headers.get("content-type")?.startsWith("application/json");
      if (answer.status >= 502 && !isOurs) throw new Error("a proxy answers for the server");
      const found = await answer.json();
      setAway(false);
      return answer.ok ? found : { error: found.error };
    } catch {
      setAway(true);
      return null;
    }
  }

  // The clock

  let ticking = null;
  function startClock() {
    clearInterval(ticking);
    if (page("clock").hidden) return;
    const { move, bank, at } = ask;
    // After a reload the clock has run; the clocks of two machines differ, so `at` counts for this only.
    const began = performance.now() - (isLive ? 0 : Math.max(0, Date.now() - at * 1000));
    const tick = () => {
      const used = (performance.now() - began) / 1000;
      const [left, rest] = [Math.max(0, move - used), Math.max(0, (bank ?? 0) - Math.max(0, used - move))];
      page("clock").textContent = bank ? `${time(left)} + ${time(rest)}` : time(left);
      page("clock").classList.toggle("low", left + rest < 10);
    };
    tick();
    ticking = setInterval(tick, 250);
  }

  const time = (seconds) =>
    `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

  // The end

  function showEnd(over) {
    page("leave").hidden = true;
    if (over.places) return showPlaces(over);
    page("question").textContent = over.closed ?? "You have left the game.";
  }

  function showPlaces({ places, scores, record }) {
    const rows = arena.ranking({ places, scores, bots: seats.map(({ bot }) => bot) });
    const own = places[seat];
    const first = own === 1 ? "You win." : `You are number ${own} of ${places.length}.`;
    page("over").hidden = false;
    page("over").replaceChildren(
      element("h2", {}, "The game is over. ", first),
      isCutOff(places) ? element("p", {}, `The limit of ${turns} turns is reached: all who are still in the game win.`) : null,
      element(
        "ol",
        { class: "places" },
        rows.map(({ place, seat: at, score }) =>
          element("li", { value: place }, arena.player(seats[at]), at === seat ? " (you)" : null, score === null ? null : ` ${score.toLocaleString("en")}`),
        ),
      ),
      element(
        "p",
        { class: "buttons" },
        element("button", { type: "button", id: "rematch", class: "main" }, "Play again"),
        record && [" ", element("a", { href: `/people/games/${record}` }, "The game with open cards")],
        " ",
        element("a", { href: "/" }, "To the first page"),
      ),
    );
    page("rematch").addEventListener("click", rematch);
    page("rematch").focus({ preventScroll: true });
  }

  const isCutOff = (places) =>
    places.filter((place) => place === 1).length > 1 && news.some(({ text }) => text.startsWith(`turn ${turns} `));

  let isWaiting = false; // for the others to want a rematch, too
  async function rematch() {
    page("rematch").disabled = isWaiting = true;
    const answer = await post("rematch");
    if (answer?.seat) return location.assign(answer.seat);
    isWaiting = Boolean(answer && !answer.error); // the event `rematch` comes when all have asked
    page("rematch").disabled = isWaiting;
    page("slip").textContent = answer?.error ?? (isWaiting ? "Waiting for the other players." : "");
  }

  // The connection

  function setAway(now) {
    page("banner").hidden = !now;
    page("banner").textContent = now ? "The server does not answer. The page tries again; nothing is lost." : "";
  }

  arena.stream(`${here}/events`, {
    connected: (yes) => {
      setAway(!yes);
      if (yes && sent) deliver(); // the process that had it may be gone
    },
    view: (data) => receive(JSON.parse(data)),
    rematch: () => isWaiting && rematch(),
  });

  // Rules, leaving

  async function showRule() {
    const headings = ask?.rules ?? [];
    const query = headings.map((each) => `only=${encodeURIComponent(each)}`).join("&");
    try {
      const answer = await fetch(`/games/${game}/rules?${query}`, { headers: { Accept: "text/html" } });
      const found = new DOMParser().parseFromString(await answer.text(), "text/html");
      page("rule").replaceChildren(...found.querySelector("main .prose").children);
    } catch {
      page("rule").textContent = "The rules cannot be loaded now.";
    }
  }

  function setRules(shown) {
    page("rules").hidden = !shown;
    page("show-rules").setAttribute("aria-expanded", shown);
    if (shown) showRule();
    (shown ? page("hide-rules") : page("show-rules")).focus();
  }
  page("show-rules").addEventListener("click", () => setRules(page("rules").hidden));
  page("hide-rules").addEventListener("click", () => setRules(false));

  page("leave").addEventListener("click", () => page("leaving").showModal());
  page("leaving").addEventListener("close", async () => {
    if (page("leaving").returnValue !== "leave") return;
    if (await post("leave")) location.assign("/");
  });

  document.addEventListener("pointerdown", showAll);
  document.addEventListener("keydown", (event) => {
    if (waiting.length) return showAll(); // and not an answer to what was not seen yet
    const { key, target } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || page("leaving").open) return;
    if (key === "Escape" && !page("rules").hidden) return setRules(false);
    if (target.matches("input, select, textarea")) return;
    if (key === "?") return setRules(page("rules").hidden);
    arena.choiceKey(event);
  });
})();
