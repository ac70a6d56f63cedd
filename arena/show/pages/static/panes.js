"use strict";
/** The content of the page of a game: `arena.panes.open(replay)` sets the game, `show(step)` shows a step. */
(() => {
  const page = (id) => document.getElementById(id);
  const { element } = arena;

  let replay = null;
  let at = 0;
  let shown = null; // the replay that the table shows
  let list = null; // the list of events; grows with the replay
  let protocol = null; // the lines of the protocol; grows with the replay

  function open(found) {
    replay = found;
    const { game, seat, seats } = replay;
    arena.names = seats.map(({ bot }) => bot);
    document.title = `${game.game} ${game.id}`;
    document.querySelector("h1").textContent = `${game.game[0].toUpperCase()}${game.game.slice(1)}`;
    page("about").replaceChildren(...about(game));
    page("slider").max = replay.steps.length - 1;
    document.querySelector("[data-go=fault]").disabled = !replay.faults.length;
    const options = seats.map(({ name, bot }, number) => [String(number), `${name} ${bot}`]);
    const own = seat === null ? "" : String(seat);
    choices(page("seat"), [["", "open cards"], ...options], own);
    choices(page("of"), own ? [options[seat]] : options, page("of").value);
    list = growing(page("list"), entry);
    openProtocol();
  }

  function choices(select, options, value) {
    select.replaceChildren(...options.map(([key, words]) => element("option", { value: key }, words)));
    select.value = options.some(([key]) => key === value) ? value : options[0][0];
  }

  /** The bots and other facts of a game. */
  function about({ id, run, group, number, options, previous, next }) {
    const facts = [run && `run ${run}`, number && `game ${number}`, group && `group ${group}`, `id ${id}`];
    const link = (other, words) => other && [element("a", { href: `#${other}` }, words), " "];
    return [
      element("p", { class: "players" }, replay.seats.map(arena.player)),
      element(
        "details",
        {},
        element("summary", {}, "About this game"),
        [...facts, options].filter(Boolean).map((fact) => element("p", {}, element("bdi", {}, fact))),
      ),
      element("p", {}, link(previous, "Previous game") || null, link(next, "Next game") || null),
    ];
  }

  /** Show a step: the words, the table, the list and the protocol up to there; at the end the result. */
  function show(step) {
    const isNext = shown === replay && step > at && replay.steps[step].decision - replay.steps[at].decision < 2;
    [at, shown] = [step, replay];
    const story = replay.story(at).map(({ text }) => text);
    const words = arena.plainText(story.join(" "));
    page("now").replaceChildren(...story.flatMap((text) => [arena.text(text), " "]));
    page("now").scrollTop = page("now").scrollHeight;
    const table = page("table");
    const still = isNext ? arena.stillOf(table) : null;
    table.replaceChildren(arena.drawn(replay.game.game, replay.scene(at)));
    arena.motion(still, table);
    showCalls(replay.calls(at));
    page("result").replaceChildren(...(at === replay.steps.length - 1 ? [result()] : []));
    page("slider").value = at;
    page("slider").setAttribute("aria-valuetext", arena.printable(words));
    page("where").textContent = `${replay.steps[at].decision} of ${replay.decisions}`;
    list.show(replay.seat === null ? replay.steps.length : at + 1, at); // a seat does not know the future
    protocol.show(at + 1, at);
  }

  /** The prompts, thoughts and replies of language models: untrusted texts. */
  function showCalls(calls) {
    page("model").hidden = !calls.length;
    page("model").replaceChildren(
      ...calls.map(({ seat, prompt, thoughts, reply, problem }) =>
        element(
          "article",
          {},
          element("h3", {}, arena.player(replay.seats[seat])),
          element("details", {}, element("summary", {}, "Prompt"), element("pre", {}, prompt)),
          thoughts ? [element("h4", {}, "Thoughts"), element("pre", {}, thoughts)] : null,
          element("h4", {}, "Reply"),
          element("pre", {}, reply || "(nothing)"),
          problem ? element("p", { class: "fault" }, problem) : null,
        ),
      ),
    );
  }

  function result() {
    const rows = arena
      .ranking(replay.game)
      .map(({ place, seat, score }) =>
        element(
          "tr",
          {},
          element("td", {}, `${place}.`),
          element("th", { scope: "row" }, arena.player(replay.seats[seat])),
          score === null ? null : element("td", {}, score),
        ),
      );
    return element("table", {}, element("caption", {}, "The recorded result"), element("tbody", {}, rows));
  }

  /** A step in the list of what happened, with its link. */
  function entry(step) {
    const sentences = replay.sentences(step);
    const words = sentences.map(({ kind, text }) => element("span", { class: kind }, arena.text(text), " "));
    const link = element("a", { href: replay.address(step), tabindex: "-1" }, words);
    return element("li", { class: sentences[0].kind }, link);
  }

  function openProtocol() {
    const of = Number(page("of").value);
    protocol = growing(page("lines"), (step) => element("div", {}, replay.protocol(step, of).map(line)));
  }

  const line = ({ mark, text, kind, time }) =>
    element(
      "p",
      { class: kind },
      element("span", { class: "mark" }, `${mark} `),
      element("bdi", {}, text),
      time ? element("span", { class: "time" }, time) : null,
    );

  /** Mark the element of the current step. Only its link is a stop of the Tab key, not the link of every step. */
  function mark(item, isCurrent) {
    if (isCurrent) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
    item.querySelector("a")?.setAttribute("tabindex", isCurrent ? "0" : "-1");
  }

  /** A list with an element for each step. Each element is made once, so a step adds only new ones. */
  function growing(place, make) {
    const made = [];
    let current = null;
    place.replaceChildren();
    return {
      /** Show the first `count` elements, and mark the element of a step. */
      show(count, step) {
        while (place.childElementCount > count) place.lastElementChild.remove();
        const missing = [];
        for (let next = place.childElementCount; next < count; next++)
          missing.push((made[next] ??= make(next)));
        place.append(...missing);
        if (current) mark(current, false);
        current = made[step];
        mark(current, true);
        place.scrollTop = current.offsetTop - (place.clientHeight - current.offsetHeight) / 2;
      },
    };
  }

  page("of").addEventListener("change", () => {
    openProtocol();
    protocol.show(at + 1, at);
  });

  arena.panes = { open, show };
})();
