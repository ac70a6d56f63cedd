"use strict";
/**
 * The page of a game that is being played. Each event has the game: `id`, `game`, `options`, `bots`, the `news` after
 * the first `known` as `[text, sentence]`, the table as `view` or null, and at the end `places` and `scores`. It is
 * null while none is played.
 */
(() => {
  const page = (id) => document.getElementById(id);
  const { element } = arena;
  const SLACK = 40; // pixels from its end at which a list still follows what is added

  let game = null; // that is shown, with all of its news

  arena.stream(`${location.pathname.replace(/\/$/, "")}/events`, {
    game: (data) => show(JSON.parse(data)),
    connected: (yes) => (document.querySelector(".offline").hidden = yes),
  });

  function show(found) {
    if (!found) return say("No game is being played here now.");
    const fresh = found.news;
    const isNew = game?.id !== found.id || found.known !== game.news.length;
    const before = isNew ? [] : game.news;
    game = { ...found, news: [...before, ...fresh] };
    if (isNew) open();
    page("message").textContent = game.places ? "This game is over." : "";
    page("now").replaceChildren(...lastTurn().flatMap(([, sentence]) => [arena.text(sentence), " "]));
    page("now").scrollTop = page("now").scrollHeight;
    drawTable();
    addToList(fresh);
    page("result").replaceChildren(...(game.places ? [result()] : []));
  }

  function say(sentence) {
    game = null;
    page("viewer").hidden = true;
    page("message").textContent = sentence;
  }

  const beginsTurn = ([text]) => text.startsWith("turn ");

  /** The news of the last turn that is over, and who is to act. */
  function lastTurn() {
    const { news } = game;
    const end = news.findLastIndex(beginsTurn);
    const begin = game.places ? end : news.slice(0, Math.max(end, 0)).findLastIndex(beginsTurn);
    return news.slice(Math.max(begin, 0) + 1);
  }

  const seats = () => game.bots.map((bot, number) => ({ name: `p${number + 1}`, bot }));

  function open() {
    arena.names = game.bots;
    page("viewer").hidden = false;
    document.querySelector("h1").textContent = `${game.game[0].toUpperCase()}${game.game.slice(1)}, live`;
    page("about").replaceChildren(
      element("p", { class: "players" }, seats().map(arena.player)),
      element(
        "details",
        {},
        element("summary", {}, "About this game"),
        element("p", {}, `id ${game.id}`),
        element("p", {}, element("bdi", {}, game.options)),
      ),
    );
    page("list").replaceChildren();
    page("table").replaceChildren();
  }

  function drawTable() {
    if (!game.view) return;
    const news = game.news.map(([text, sentence]) => ({ to: null, text, sentence }));
    const table = page("table");
    const still = table.firstChild ? arena.stillOf(table) : null;
    table.replaceChildren(arena.drawn(game.game, arena.scene(seats(), -1, game.view, news)));
    arena.motion(still, table);
  }

  function addToList(fresh) {
    const list = page("list");
    const follows = list.scrollHeight - list.scrollTop - list.clientHeight < SLACK;
    list.append(
      ...fresh.map((each) =>
        element("li", { class: beginsTurn(each) ? "turn" : "event" }, arena.text(each[1])),
      ),
    );
    if (follows) list.scrollTop = list.scrollHeight;
  }

  function result() {
    const { places, scores } = game;
    const rows = arena
      .ranking({ places, scores, bots: game.bots })
      .map(({ place, seat, score }) =>
        element(
          "tr",
          {},
          element("td", {}, `${place}.`),
          element("th", { scope: "row" }, arena.player(seats()[seat])),
          score === null ? null : element("td", {}, score),
        ),
      );
    return element("table", {}, element("caption", {}, "The result"), element("tbody", {}, rows));
  }
})();
