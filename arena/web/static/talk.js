"use strict";
/**
 * The talk of Intrigue: offers to answer, and a message put together from controls. `say` sends the word that the rules
 * read (`offer:p2:8000:p2/send=writer@p1`); the grammar is in arena/games/intrigue/intrigue.md, "Messages" and "Terms".
 * The rules have the last word: what they refuse comes back with the reason, and the message stays as it was.
 */
(() => {
  const { element } = arena;
  const TYPES = ["priest", "writer", "doctor", "biologist"];
  const ZONES = ["10000", "6000", "3000", "1000"];
  const MAX_TERMS = 5; // an amount and four promises
  const VERBS = {
    offer: ["Offer", "An exchange: each of you may promise something. It counts if it is accepted."],
    promise: ["Promise", "You give, and ask for nothing. It counts if it is accepted."],
    request: ["Ask for", "What the other should do. It is heard, and nothing more."],
    threat: ["Threaten", "What you will do. It is heard, and nothing more."],
    say: ["Say", "Free text, at most 280 characters."],
  };

  const kept = { ask: null, state: null }; // a message that the rules refused stays as it was

  arena.composers.intrigue = (ask, table) => {
    const me = `p${table.seat + 1}`;
    const talk = readContext(ask, table, me);
    const isOfOthers = ask.context.payer && ask.context.payer !== me && ask.context.owner !== me;
    if (isOfOthers && ask.options.length === 1) {
      if (isPassing) setTimeout(table.say, 0, "pass"); // once this ask is shown
      return [answers(ask, table), passing(table), composer(ask, table, talk)];
    }
    return [answers(ask, table), ask.open.length ? composer(ask, table, talk) : null].filter(Boolean);
  };

  let isPassing = false; // while others talk about their bribe

  function passing({ say }) {
    const box = element("input", { type: "checkbox", checked: isPassing ? "" : null });
    box.addEventListener("change", () => {
      isPassing = box.checked;
      if (isPassing) say("pass");
    });
    return element("label", { class: "passing" }, box, " Always pass while others talk about their bribe");
  }

  /** Who takes part: with the payer and the owner, and the seats that may be addressed. */
  function readContext({ context, open }, { seats, lines }, me) {
    const owner = context.owner ?? ownerOf(lines);
    const payer = context.payer ?? (context.with ? (context.with === owner ? me : context.with) : null);
    const others = seats.map(({ name }) => name).filter((name) => name !== me);
    const isAlone = open.length === 1; // press 1: payer and owner address only each other
    return { me, owner, payer, isPlacing: context.stage !== "sending", hearers: isAlone && context.with ? [context.with] : others, partner: context.with ?? others[0] };
  }

  // Answers to open offers

  function answers({ options }, { say }) {
    const buttons = options.map(([word, meaning], index) => {
      const button = element(
        "button",
        { type: "button", class: `choice${word === "pass" ? " pass" : ""}` },
        element("kbd", { "aria-hidden": "true" }, index < 9 ? index + 1 : ""),
        element("span", { class: "words" }, element("b", {}, word.replace(":", " ")), element("span", { class: "meaning" }, meaning)),
      );
      button.addEventListener("click", () => say(word));
      return arena.keyed(button, index + 1, () => say(word));
    });
    return element("div", { class: "rows answers" }, buttons);
  }

  // A message

  function composer(ask, table, talk) {
    const heads = ask.open.map(([head]) => head);
    if (kept.ask !== ask.id) Object.assign(kept, { ask: ask.id, state: { verb: heads[0], to: talk.partner, terms: [null], text: "", isOpen: kept.state?.isOpen } });
    const { state } = kept;
    const place = element("form", { class: "composer" });
    const whole = element("details", { class: "message", open: state.isOpen ? "" : null }, element("summary", {}, "Say something"), place);
    whole.addEventListener("toggle", () => (state.isOpen = whole.open));
    place.addEventListener("submit", (event) => {
      event.preventDefault();
      if (word()) table.say(word());
    });

    const word = () => {
      if (state.verb === "say") return state.text.trim() && `say:${state.to}:${encoded(state.text.trim())}`;
      const terms = state.terms.filter(Boolean).map(termWord);
      return terms.length ? [state.verb, state.to, ...terms].join(":") : "";
    };

    function show() {
      const [, meaning] = VERBS[state.verb] ?? ["", ""];
      const isText = state.verb === "say";
      place.replaceChildren(
        element("div", { class: "verbs", role: "group", "aria-label": "Kind of message" }, heads.map(verb)),
        element("p", { class: "note" }, meaning),
        element("div", { class: "line" }, element("label", {}, "To ", picker("To", hearers(isText), state.to, (value) => change({ to: value, terms: [null] })))),
        ...(isText ? [textField()] : termRows()),
        element("div", { class: "line" }, sendButton()),
      );
    }

    function change(values) {
      Object.assign(state, values);
      show();
    }

    const hearers = (isText) => [...talk.hearers.map((name) => [name, nameOf(name)]), ...(isText ? [["all", "all"]] : [])];

    function verb(head) {
      const button = element("button", { type: "button", class: "chip", "aria-pressed": String(head === state.verb) }, VERBS[head]?.[0] ?? head);
      button.addEventListener("click", () => {
        change({ verb: head, to: state.to === "all" ? talk.partner : state.to, terms: [null] });
        place.querySelector("[aria-pressed=true]").focus();
      });
      return button;
    }

    function textField() {
      const field = element("input", { type: "text", maxlength: 280, "aria-label": "What you say", autocomplete: "off" });
      field.value = state.text;
      field.addEventListener("input", () => {
        state.text = field.value;
        refresh();
      });
      return element("div", { class: "line" }, field);
    }

    function termRows() {
      const rows = state.terms.map((term, index) => termRow(term, index));
      const more = element("button", { type: "button", class: "chip" }, "and also …");
      more.addEventListener("click", () => change({ terms: [...state.terms, null] }));
      return state.terms.length < MAX_TERMS && state.terms.at(-1) ? [...rows, element("div", { class: "line" }, more)] : rows;
    }

    /** A term: who promises what, and its details. */
    function termRow(term, index) {
      const set = (value) => change({ terms: state.terms.map((each, at) => (at === index ? value : each)) });
      const kinds = kindsFor(state, talk, index);
      const kind = picker(`Term ${index + 1}`, [["", "choose …"], ...kinds.map((each) => [each.key, each.words])], term?.key ?? "", (key) => {
        const found = kinds.find((each) => each.key === key);
        set(found ? { ...found, ...detailsOf(found, talk, state, table) } : null);
      });
      const details = term ? detailFields(term, (values) => set({ ...term, ...values }), talk, state, table) : [];
      const drop = element("button", { type: "button", class: "chip", "aria-label": `Remove term ${index + 1}` }, "✕");
      drop.addEventListener("click", () => change({ terms: state.terms.length > 1 ? state.terms.filter((_, at) => at !== index) : [null] }));
      return element("div", { class: "line term" }, kind, details, term || index ? drop : null);
    }

    function sendButton() {
      const made = word();
      return [
        element("button", { class: "main send", disabled: made ? null : "" }, VERBS[state.verb]?.[0] ?? "Send"),
        element("code", { class: "made" }, made),
      ];
    }

    function refresh() {
      place.querySelector(".send").disabled = !word();
      place.querySelector(".made").textContent = arena.printable(word());
    }

    show();
    return whole;
  }

  // Terms

  /** The terms that may stand at this place of a message: who promises, and what. */
  function kindsFor({ verb, to }, { me, owner, payer, isPlacing }, index) {
    const kinds = [];
    const add = (by, key, words) => kinds.push({ key: `${by}/${key}`, by, what: key, words: `${by === me ? "I" : nameOf(by)} ${by === me ? words[0] : words[1]}` });
    const makers = { offer: [me, to], request: [to] }[verb] ?? [me];
    const isBetween = payer && [me, to].includes(payer) && [me, to].includes(owner);
    for (const by of makers) {
      if (index === 0 && isBetween && by === payer) add(by, "amount", ["pay now", "pays now"]);
      if (isPlacing && by === owner) {
        add(by, "stage", ["place after this stage", "places after this stage"]);
        add(by, "turn", ["place by the end of this turn", "places by the end of this turn"]);
      }
      add(by, "next", ["place in my next turn at home", "places in the next turn at home"]);
      add(by, "send", ["send an advisor next", "sends an advisor next"]);
      add(by, "spare", ["send no advisor", "sends no advisor"]);
      add(by, "pay", ["pay with my next bribe", "pays with the next bribe"]);
    }
    return kinds;
  }

  /** What a new term says before it is changed. */
  function detailsOf({ by, what }, { me, owner }, { to }, { seats }) {
    const other = by === me ? to : me;
    const castles = seats.map(({ name }) => name).filter((name) => name !== by);
    const castle = other === by ? castles[0] : other;
    if (what === "amount") return { amount: "5000" };
    if (what === "pay") return { amount: "5000", castle };
    if (what === "send" || what === "spare") return { type: "", castle };
    const of = what === "next" ? other : other === owner ? castles[0] : other;
    return { of, type: "", zone: "6000", isDenied: false };
  }

  function detailFields(term, set, { me }, state, { seats }) {
    const { what, by } = term;
    const castles = seats.map(({ name }) => name).filter((name) => name !== by).map((name) => [name, nameOf(name)]);
    const amount = () => {
      const field = element("input", { type: "number", min: 1000, max: 999000, step: 1000, value: term.amount, inputmode: "numeric", "aria-label": "Amount" });
      field.addEventListener("change", () => set({ amount: field.value }));
      return field;
    };
    const type = (any) => picker("Type", [["", any], ...TYPES.map((each) => [each, each])], term.type, (value) => set({ type: value }));
    const castle = (label) => picker(label, castles, term.castle, (value) => set({ castle: value }));
    if (what === "amount") return [amount()];
    if (what === "pay") return [amount(), " to ", castle("To whom")];
    if (what === "send" || what === "spare") return [type("any type"), " to ", castle("To which castle")];
    return [
      picker("Whose advisor", castles, term.of, (value) => set({ of: value })),
      type("any advisor"),
      picker("Where", [...ZONES.map((zone) => [zone, `on ${zone}`]), ...ZONES.map((zone) => [`!${zone}`, `not on ${zone}`]), ["!", "not in the castle"]], `${term.isDenied ? "!" : ""}${term.zone}`, (value) =>
        set({ isDenied: value.startsWith("!"), zone: value.replace("!", "") }),
      ),
    ];
  }

  /** The word of a term; its promiser always stands before it, so that nothing depends on who speaks. */
  function termWord(term) {
    const by = `${term.by}/`;
    if (term.what === "amount") return `${by}${term.amount}`;
    if (term.what === "pay") return `${by}pay=${term.amount}@${term.castle}`;
    if (term.what === "send" || term.what === "spare") return `${by}${term.what}=${term.type ? `${term.type}@` : ""}${term.castle}`;
    const who = `${term.isDenied ? "!" : ""}${term.of}${term.type ? `.${term.type}` : ""}`;
    const when = term.what === "stage" ? "" : `${term.what}=`;
    return `${by}${when}${who}${term.zone ? `@${term.zone}` : ""}`;
  }

  const encoded = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

  const nameOf = (name) => arena.plainText(name);

  function picker(label, values, value, change) {
    const select = element("select", { "aria-label": label }, values.map(([key, words]) => element("option", { value: key }, words)));
    select.value = value;
    select.addEventListener("change", () => change(select.value));
    return select;
  }

  /** The owner of the castle, from the line `table round=1 turn=2 owner=p3`. */
  const ownerOf = (lines) => /\bowner=(p[0-9]+)/.exec(lines.find((line) => line.startsWith("table ")) ?? "")?.[1];
})();
