"use strict";
/** The table of Complots. `arena.claims` has the parts that the drawing of the local variant shares. */
(() => {
  // The icon of each character: a path in a square of 20.
  const ICONS = {
    // a crown, a dagger, a shield
    duchess: "M2 16L3 6l4 4 3-6 3 6 4-4 1 10z",
    assassin: "M10 1l2.2 10H7.8zM5 12h10v1.8H5zM9 14.5h2V19H9z",
    contessa: "M3 3h14v7c0 4-3 7-7 8.5C6 17 3 14 3 10zM5 5v5c0 3 2 5 5 6.3V5z",
    // an anchor, an exchange, an eye
    captain: "M8 1h4v4h-1v2h4v2h-4v7c3 0 5-2 5-4l3 0c0 4-4 7-9 7s-9-3-9-7l3 0c0 2 2 4 5 4V9H5V7h4V5H8z",
    ambassador: "M2 6h11V2l6 6-6 6v-4H2zM18 15v3H7v2l-5-3.5L7 13v2z",
    inquisitor:
      "M1 10c5-8 13-8 18 0-5 8-13 8-18 0zm9 4a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm0-2a2 2 0 1 1 0-4 2 2 0 0 1 0 4z",
  };

  /** A card; one with the name `hidden` is face down. `how` is a class: `lost`, `used`, `placed`. */
  function card(name, how = "") {
    const label = how ? `${name}, ${how}` : name;
    if (!ICONS[name])
      return arena.element("span", {
        class: `card back ${how}`,
        role: "img",
        "aria-label": `hidden card${how && `, ${how}`}`,
      });
    return arena.element(
      "span",
      { class: `card ${name} ${how}`, role: "img", "aria-label": label, title: label },
      arena.svg("svg", { viewBox: "0 0 20 20" }, arena.svg("path", { d: ICONS[name] })),
      arena.element("span", { class: "name" }, name),
    );
  }

  // Where a card has no room for its name, a tap shows it.
  document.addEventListener("click", ({ target }) => {
    const tapped = target.closest(".card");
    for (const each of document.querySelectorAll(".card")) each.classList.toggle("named", each === tapped && !each.matches(".named"));
  });

  /** The cards `names`; if they are not known, `count` cards face down. */
  const hand = (names, count) =>
    names.length ? names.map((name) => card(name)) : Array.from({ length: count }, () => card("hidden"));

  const indexOf = (seat) => Number(seat.slice(1)) - 1;

  /**
   * The turn so far: its number, the actor, and what was `said` and done: `[kind, seat, words, target]`.
   * Number and actor come from the news, because the table may be ahead of it.
   */
  function turn(news) {
    const begin = news.findLastIndex(({ text }) => text.startsWith("turn "));
    if (begin < 0) return { number: "", actor: "", said: [] };
    const [[, number, actor], ...texts] = news.slice(begin).map(({ text }) => text.split(" "));
    return { number, actor, said: texts.flatMap((words) => deeds(words, actor)) };
  }

  function deeds([verb, seat, ...words], actor) {
    const [what, target = ""] = (words[0] ?? "").split(":");
    const at = /^p[1-8]$/.test(target) ? target : "";
    switch (verb) {
      case "action":
      case "claim":
        return [["act", seat, what === "coup" ? "Assassinat" : verb === "claim" ? `${what}!` : what, at]];
      case "challenge":
        return [["challenge", seat, "I doubt it", words[0]]];
      case "block":
        return [["block", seat, `block: ${target}`, actor]];
      case "proven":
        return [["proven", seat, `shows the ${what}`, ""]];
      case "refuted":
        return [["refuted", seat, `no ${what}: a bluff`, ""]];
      case "blocked":
        return [["note", seat, "blocked", ""]];
      case "lose":
        return [["lose", seat, words[0] === "hidden" ? "loses a card" : `loses the ${words[0]}`, ""]];
      case "out":
        return [["lose", seat, "out", ""]];
      case "forfeit":
        return [["lose", seat, "forfeits", ""]];
      case "take":
        return [["note", seat, `+${words[0]}`, ""]];
      case "pay":
        return [["note", seat, `−${words[0]}`, ""]];
      case "steal":
        return [
          ["note", seat, `+${words[1]}`, ""],
          ["note", words[0], `−${words[1]}`, ""],
        ];
      case "exchange":
        return [["note", seat, "exchanges", ""]];
      case "exam":
        return [["note", seat, words[1] === "discard" ? "has it exchanged" : "returns it", ""]];
      case "fizzle":
        return [["note", seat, "no target left", ""]];
    }
    return [];
  }

  const SPEECH = ["act", "challenge", "block"];

  /** What a seat said and did in this turn, as bubbles and notes. */
  const bubbles = (said, name) =>
    arena.element(
      "div",
      { class: "said" },
      said
        .filter(([, seat]) => seat === name)
        .map(([kind, , words, target]) => {
          const to = kind === "act" && target ? [" → ", arena.seat(target)] : null;
          return arena.element(
            "span",
            { class: `${SPEECH.includes(kind) ? "bubble " : "mark "}${kind}` },
            words,
            to,
          );
        }),
    );

  const arrows = (said) =>
    said
      .filter(([kind, , , target]) => SPEECH.includes(kind) && target)
      .map(([kind, from, , to]) => ({ kind, from: indexOf(from), to: indexOf(to) }));

  const coins = (count) => arena.element("span", { class: "coins", title: "coins" }, count);

  /** The head of a box: the seat, its bot, its coins. */
  const title = (seat, ...more) =>
    arena.element("div", { class: "title" }, arena.player(seat), more, coins(seat.state.coins));

  const manner = {
    paces: { turn: 500, claim: 1000, action: 1000, challenge: 1500, block: 1000, blocked: 600, proven: 1000, refuted: 1000,
      lose: 1000, out: 1000, take: 600, pay: 600, steal: 600, exchange: 800, exam: 800 },
    spoken: /^(turn|claim|action|challenge|block|blocked|proven|refuted)\b/,
  };
  arena.manners.complots = manner;
  arena.manners.local = manner;

  arena.claims = { card, hand, turn, bubbles, arrows, title };

  /** The card that an option names: `captain:p2`, `block:captain`, or `captain` alone. */
  const picture = (word) => {
    const name = word.replace(/^block:/, "").split(/[:@+]/)[0];
    return ICONS[name] ? card(name) : null;
  };
  arena.pictures.complots = picture;
  arena.pictures.local = picture;

  function box(seat, { actor, said }) {
    const { state } = seat;
    const out = state.cards === "0" ? " out" : "";
    return arena.element(
      "div",
      { class: `box${seat.name === actor ? " actor" : ""}${out}` },
      title(seat),
      arena.element(
        "div",
        { class: "cards" },
        hand(arena.list(state.hand), Number(state.cards)),
        arena.list(state.lost).map((name) => card(name, "lost")),
      ),
      bubbles(said, seat.name),
    );
  }

  arena.drawings.complots = (scene) => {
    const { treasury, court } = scene.table;
    const now = turn(scene.news);
    const middle = [
      arena.element("p", {}, now.number ? `Turn ${now.number}` : "Set-up"),
      treasury === "unlimited" ? null : arena.element("p", {}, "Treasury ", coins(treasury)),
      arena.element("p", {}, `Court ${court}`),
    ];
    return arena.ring(
      scene.seats.map((seat) => box(seat, now)),
      { middle, arrows: arrows(now.said) },
    );
  };
})();
