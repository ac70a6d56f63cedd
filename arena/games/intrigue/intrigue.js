"use strict";
/** The table of Intrigue: castles with zones and advisors, the talk of a stage, the book of promises. */
(() => {
  const ZONES = ["1000", "3000", "6000", "10000"];
  // The icon of each type: a path in a square of 20.
  const ICONS = {
    // a cross, a quill, a flask, a leaf
    priest: "M8.5 2h3v5H17v3h-5.5v8h-3v-8H3V7h5.5z",
    writer: "M17 2C10 3 6 7 5 13l-3 5 1.5 1 3-4C13 14 17 9 17 2z",
    doctor: "M7 1h6v2h-1.5v5l5 8.5c.6 1.5-.2 2.5-1.5 2.5H5c-1.3 0-2.1-1-1.5-2.5l5-8.5V3H7z",
    biologist: "M3 17C2 8 8 3 18 3c0 10-5 15-12 13l8-9-10 9z",
  };
  const VERDICTS = { open: "open", kept: "kept ✓", broken: "broken ✗", void: "void" };
  const WIDE = 1200; // pixels of a window in which three castles stand side by side
  const DECIDED = 6; // decided promises that are shown, the newest

  const icon = (type) =>
    arena.svg(
      "svg",
      { viewBox: "0 0 20 20", "aria-hidden": "true" },
      arena.svg("path", { d: ICONS[type] }),
    );

  const money = (amount) => Number(amount).toLocaleString("en");

  /** An advisor, `p4.writer`: the icon shows its type, label and colour its owner. */
  function advisor(piece) {
    const [owner, type] = piece.split(".");
    return arena.element(
      "span",
      { class: "advisor", title: `${type} of ${owner}` },
      icon(type),
      arena.seat(owner),
      arena.element("span", { class: "unseen" }, type),
    );
  }

  /** Advisors by type, `priest:2,writer:1`. */
  const counts = (value) =>
    arena.list(value).map((each) => {
      const [type, number] = each.split(":");
      return arena.element(
        "span",
        { class: "count", title: `${number} ${type}` },
        icon(type),
        arena.element("span", { class: "unseen" }, type),
        ` ${number}`,
      );
    });

  const row = (label, parts) =>
    arena.element(
      "div",
      { class: `row ${label}` },
      arena.element("span", { class: "label" }, label),
      arena.element("span", { class: "parts" }, parts.length ? parts : "–"),
    );

  /** The news since the stage began. Private news, which is told to each of two seats, is there once. */
  function stageOf(news) {
    const begin = news.findLastIndex(({ text }) => /^(stage|turn|final)\b/.test(text));
    const first = new Map(); // the seat that was told a text first; null for all
    return news.slice(Math.max(begin, 0)).filter(({ text, to }) => {
      if (!first.has(text)) first.set(text, to);
      return first.get(text) === to;
    });
  }

  function box(seat, owner, deeds) {
    const castle = new Map(arena.list(seat.state.castle).map((each) => each.split(":")));
    const paid = deeds.filter(([verb, by]) => verb === "bribe" && by === seat.name);
    const purse =
      seat.state.money === undefined
        ? null
        : arena.element("span", { class: "ducats", title: "ducats" }, money(seat.state.money));
    return arena.element(
      "div",
      { class: `box intrigue${seat.name === owner ? " actor" : ""}` },
      arena.element("div", { class: "title" }, arena.player(seat), purse),
      arena.element(
        "div",
        { class: "castle" },
        ZONES.map((zone) =>
          arena.element(
            "div",
            { class: "zone" },
            castle.has(zone) ? advisor(castle.get(zone)) : null,
            arena.element("span", { class: "value" }, zone),
          ),
        ),
      ),
      row("waiting", arena.list(seat.state.candidates).map(advisor)),
      row("reserve", counts(seat.state.reserve)),
      row("island", counts(seat.state.island)),
      arena.element(
        "div",
        { class: "said" },
        paid.map((words) =>
          arena.element(
            "span",
            { class: "bubble" },
            `${words[4] === "by=bank" ? "the bank pays" : "pays"} ${money(words[3])}`,
          ),
        ),
      ),
    );
  }

  // The book of promises

  /** All promises that were made, in order: those of accepted offers, and others when they are decided. */
  function book(news, owner) {
    const [offers, promises] = [new Map(), []];
    for (const { text } of news) {
      const [verb, ...words] = text.split(" ");
      if (verb === "turn") owner = words[1];
      if (verb === "offer") offers.set(words[0], { by: words[1], to: words[2], terms: words[3].split(":") });
      if (verb === "accept" && offers.has(words[0])) {
        promises.push(...promised(words[0], offers.get(words[0]), owner));
        offers.delete(words[0]); // if talk is private, a second `accept` follows for the other seat
      }
      if (verb === "promise") decide(promises, words);
    }
    return promises;
  }

  function promised(number, { by, to, terms }, owner) {
    return terms.map((term) => {
      const slash = term.indexOf("/");
      const word = term.slice(slash + 1);
      const payer = by === owner ? to : by;
      const usual = /^[0-9]+$/.test(word) ? payer : /^(turn=|!|[^=]*@)/.test(word) ? owner : by;
      return { number, by: slash < 0 ? usual : term.slice(0, slash), word, verdict: "open" };
    });
  }

  function decide(promises, [number, by, verdict, word]) {
    const same = promises.filter((each) => each.number === number && each.by === by && each.word === word);
    const open = same.find((each) => each.verdict === "open");
    if (open) open.verdict = verdict;
    else if (!same.length) promises.push({ number, by, word, verdict }); // made before the game began, in a given position
  }

  function page(promises) {
    const open = promises.filter(({ verdict }) => verdict === "open");
    const decided = promises
      .filter(({ verdict }) => verdict !== "open")
      .slice(-DECIDED)
      .reverse();
    const rows = [...open, ...decided].map(({ number, by, word, verdict }) =>
      arena.element(
        "tr",
        { class: verdict },
        arena.element("td", {}, number),
        arena.element("td", {}, arena.seat(by)),
        arena.element("td", {}, arena.text(termWords(word))),
        arena.element("td", {}, VERDICTS[verdict]),
      ),
    );
    const total = promises.length - open.length;
    const rest = total > DECIDED ? `, the last ${DECIDED} here` : "";
    const words = `The book of promises: ${open.length} open, ${total} decided${rest}`;
    return arena.element(
      "table",
      { class: "book" },
      arena.element("caption", {}, words),
      arena.element("tbody", {}, rows),
    );
  }

  /** A term in words: `next=p2@6000`. */
  function termWords(word) {
    const [, kind, denied, first, second] = /^(?:(turn|next|send|spare|pay)=)?(!?)([^@]*)@?(.*)$/.exec(word);
    const [who, where] = second ? [first, second] : [undefined, first];
    const something = {
      send: `sends ${who ?? "an advisor"} to ${where}`,
      spare: `sends no ${who ?? "advisor"} to ${where}`,
      pay: `pays ${money(who)} to ${where} at the next payment`,
    };
    if (something[kind]) return something[kind];
    if (!kind && !who && !denied) return `pays ${money(where)}`;
    const place = who ? `${who} on ${where}` : `${where} in the castle`;
    const when = { turn: " after this turn", next: " in the next turn at home" }[kind] ?? "";
    return `${denied ? "no " : ""}${place}${when}`;
  }

  const [LONG, SHORT] = [1500, 600];
  arena.manners.intrigue = {
    paces: { turn: SHORT, stage: LONG, offer: LONG, accept: 1000, reject: 1000, request: LONG, threat: LONG, say: LONG,
      bribe: 1000, lodge: 1000, keep: 1000, take: 1000, banish: SHORT, send: 1000, promise: SHORT, income: SHORT },
    spoken: /^(turn|stage|offer|accept|reject|request|threat|say|promise)\b/,
  };

  const TALK = /^(offer|accept|reject|request|threat|say)\b/;

  const arrow = (words) => ({ kind: "act", from: Number(words[1][1]) - 1, to: Number(words[2][1]) - 1 });

  arena.drawings.intrigue = (scene) => {
    const last = scene.news.findLast(({ text }) => text.startsWith("turn ")); // the table may be ahead of it
    const [, turn, owner] = last ? last.text.split(" ") : ["", "0", scene.table.owner];
    const round = Math.ceil(turn / scene.seats.length);
    const stage = stageOf(scene.news);
    const deeds = stage.map(({ text }) => text.split(" "));
    const talk = stage.filter(({ text }) => TALK.test(text));
    const begin = stage.find(({ text }) => text.startsWith("stage "));
    const arrows = deeds.filter(([verb, , , , bank]) => verb === "bribe" && bank !== "by=bank").map(arrow);
    return arena.element(
      "div",
      {},
      arena.element(
        "p",
        { class: "heads" },
        [`Round ${round}, turn ${turn}`, begin?.sentence]
          .filter(Boolean)
          .map((head) => arena.element("span", {}, arena.text(head))),
      ),
      arena.ring(
        scene.seats.map((seat) => box(seat, owner, deeds)),
        { arrows, columns: scene.seats.length > 4 && innerWidth >= WIDE ? 3 : 2 },
      ),
      arena.element(
        "div",
        { class: "papers" },
        arena.element(
          "div",
          { class: "talk" },
          arena.element("p", { class: "caption" }, "Talk of this stage"),
          talk.map(({ sentence }) => arena.element("p", {}, arena.text(sentence))),
        ),
        page(book(scene.news, owner)),
      ),
    );
  };
})();
