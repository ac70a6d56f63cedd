"use strict";
// The list of games. Its data is a script that calls arena.list, because a page on disk may load no other data.
// The filter is kept in the hash of the URL, which lets a page link to the games of a bot.

const arena = (() => {
  const STEP = 100; // rows that are added at once; more would be slow to lay out
  const [RUN, NUMBER, ID, BOTS, PLACES, FAULTS, ANSWERS, SECONDS] = [0, 1, 2, 3, 4, 5, 6, 7];
  const ORDERS = {
    long: (a, b) => b[ANSWERS] - a[ANSWERS],
    faults: (a, b) => total(b[FAULTS]) - total(a[FAULTS]),
  };
  const form = document.getElementById("filter");
  const table = document.getElementById("games");
  const more = document.getElementById("more");
  let data, found, shown;

  const total = (faults) => (faults ? faults.reduce((sum, each) => sum + each, 0) : 0);

  /** A new element with these children, which are elements or plain text. */
  function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  /** Whether a bot on this seat won or lost; a game that all seats tie is neither won nor lost. */
  function hasResult(places, seat, result) {
    if (result === "won") return places[seat] === 1 && places.some((place) => place > 1);
    return result !== "lost" || places[seat] > 1;
  }

  /** Whether a seat of the game fits; without a name, any seat does. */
  function fits(game, wanted) {
    return game[BOTS].some(
      (bot, seat) =>
        wanted.bots[bot] &&
        hasResult(game[PLACES], seat, wanted.result) &&
        (!wanted.faults || (game[FAULTS] && game[FAULTS][seat] > 0)),
    );
  }

  /** A cell with the bots in the order of finish, each with its place. */
  function finish(game) {
    const seats = game[BOTS].map((bot, seat) => [game[PLACES][seat], bot]);
    seats.sort((a, b) => a[0] - b[0]);
    const cell = make("td", { className: "words finish" });
    for (const [place, bot] of seats) {
      cell.append(make("span", {}, `${place}. `, make("bdi", {}, data.bots[bot])), " ");
    }
    return cell;
  }

  function row(game) {
    const link = make("a", { href: `game.html#${game[ID]}` }, String(game[NUMBER]));
    const seconds = game[SECONDS];
    return make(
      "tr",
      {},
      ...(data.runs.length > 1 ? [make("td", { className: "words" }, make("bdi", {}, data.runs[game[RUN]]))] : []),
      make("td", {}, link),
      finish(game),
      make("td", {}, String(total(game[FAULTS]) || "")),
      make("td", {}, String(game[ANSWERS])),
      make("td", {}, seconds === null ? "" : `${seconds.toFixed(seconds < 1 ? 3 : 1)} s`),
    );
  }

  function showMore() {
    table.tBodies[0].append(...found.slice(shown, shown + STEP).map(row));
    shown = Math.min(found.length, shown + STEP);
    more.hidden = shown === found.length;
  }

  /** The bots that a text means: the one with this name, or otherwise all with names that contain it. */
  function matching(text) {
    if (data.bots.includes(text)) return data.bots.map((name) => name === text);
    return data.bots.map((name) => name.toLowerCase().includes(text.toLowerCase()));
  }

  function update() {
    const typed = form.bot.value.trim();
    const wanted = {
      bots: matching(typed),
      result: typed ? form.result.value : "",
      faults: form.faults.checked,
    };
    form.result.disabled = !typed; // A result is the result of the typed bot.
    found = data.games.filter((game) => fits(game, wanted));
    if (form.order.value) found.sort(ORDERS[form.order.value]);
    shown = 0;
    table.tBodies[0].replaceChildren();
    table.hidden = found.length === 0;
    document.getElementById("count").textContent =
      found.length === data.games.length ? "" : `${found.length.toLocaleString("en")} ${found.length === 1 ? "game" : "games"}`;
    showMore();
  }

  function readHash() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const name of ["bot", "result", "order"]) form[name].value = wanted.get(name) || "";
    form.faults.checked = wanted.has("faults");
    for (const list of [form.result, form.order]) if (list.selectedIndex < 0) list.selectedIndex = 0;
    update();
  }

  function writeHash() {
    update(); // This has to be first, because a disabled field has no value.
    const given = [...new FormData(form)].filter(([, value]) => value);
    history.replaceState(null, "", `#${new URLSearchParams(given)}`);
  }

  return {
    /** Called by the data: see `game_list` in arena/show/pages/games.py. */
    list(games) {
      data = games;
      document.getElementById("bots").append(...data.bots.map((name) => make("option", { value: name })));
      form.hidden = false;
      form.addEventListener("input", writeHash);
      form.addEventListener("submit", (event) => event.preventDefault());
      more.addEventListener("click", showMore);
      addEventListener("hashchange", readHash);
      readHash();
    },
  };
})();
