"use strict";
/**
 * What a player may answer, as buttons. `arena.choices(ask, table)` makes them; `table` has `say(word)`, which answers,
 * `why(reason)`, which tells why something is not possible, and what composers of talk need.
 *
 * Words that begin alike stand in one row: `captain:p2` and `captain:p3` are the row "captain" with two targets. Of
 * `captain:p2@duchess`, in the local variant, the card to place is asked for next. A row is opened by its number on
 * the keyboard; then its parts have the numbers. Words that are not possible now are grey and tell the reason.
 */
(() => {
  const { element } = arena;
  const MANY = 12; // rows; then a word can be typed, too
  const QUICK = [1, 2, 3, 5, 8, 12, 20]; // amounts that have a button, in steps

  let current = null; // the rows that keys act on

  arena.choices = (ask, table) => {
    current = null;
    if (ask.amounts) return [amounts(ask, table)];
    const composer = arena.composers[table.game];
    if (ask.kind === "talk" && composer) return composer(ask, table);
    const place = element("div", { class: "rows" });
    const rows = rowsOf(ask);
    current = { place, rows, table, back: null };
    showRows();
    const isTyped = ask.open.length || rows.length > MANY;
    return [place, isTyped ? typed(ask, table) : null].filter(Boolean);
  };

  // Rows

  /** A word as its beginning, its target and what comes with it: `captain:p2@duchess`. */
  function parsed(word) {
    const [, head, target = "", extra = ""] = /^(.*?)(?::(p[0-9]+))?(?:@(.+))?$/.exec(word);
    return { word, head, target, extra };
  }

  function rowsOf({ kind, options, absent }) {
    const rows = new Map();
    const row = (head) => rows.get(head) ?? rows.set(head, { head, leaves: [], absent: [] }).get(head);
    for (const [word, meaning] of options) row(parsed(word).head).leaves.push({ ...parsed(word), meaning });
    for (const [word, reason] of absent) row(parsed(word).head).absent.push({ ...parsed(word), reason });
    // Each row keeps its place, and so its number, in all asks of this kind, whether it is possible or not.
    const places = (order[kind] ??= []);
    places.push(...[...rows.keys()].filter((head) => !places.includes(head)));
    return [...rows.values()].sort((one, other) => places.indexOf(one.head) - places.indexOf(other.head));
  }

  const order = Object.create(null); // by kind of ask, the beginnings of words as they were first seen

  /** The meaning that the words of a row share, with gaps where they differ; "" if they share none. */
  function shared(leaves) {
    if (leaves.length === 1) return leaves[0].meaning;
    const gaps = leaves.map(({ meaning, target, extra }) => gap(target ? meaning.replaceAll(target, "…") : meaning, extra));
    return gaps.every((each) => each === gaps[0]) ? gaps[0] : "";
  }

  function gap(meaning, extra) {
    const at = extra ? meaning.lastIndexOf(extra) : -1;
    return at < 0 ? meaning : `${meaning.slice(0, at)}…${meaning.slice(at + extra.length)}`;
  }

  function showRows() {
    current.back = null;
    let number = 0;
    current.place.replaceChildren(
      ...current.rows.map((row) => {
        if (!row.leaves.length) return greyRow(++number, row);
        const open = row.leaves.length === 1 ? () => answer(row.leaves[0]) : () => showParts(row, row.leaves);
        return row.leaves.length === 1 && !row.absent.length
          ? big(++number, row.leaves[0].word, row.leaves[0].meaning, open)
          : group(++number, row, open);
      }),
    );
  }

  /** A button with its number, its word and what it means. */
  function big(number, word, meaning, act) {
    const button = element(
      "button",
      { type: "button", class: "choice" },
      badge(number),
      picture(word),
      element("span", { class: "words" }, element("b", {}, arena.text(label(word))), held(word), meaning ? element("span", { class: "meaning" }, arena.text(meaning)) : null),
    );
    button.addEventListener("click", act);
    return keyed(button, number, act);
  }

  function group(number, row, open) {
    const targets = new Map(); // each target once, with its leaves
    for (const leaf of row.leaves) {
      const key = leaf.target || leaf.extra;
      targets.set(key, [...(targets.get(key) ?? []), leaf]);
    }
    const chips = [...targets].map(([key, leaves]) => chip(key, leaves, () => (leaves.length === 1 ? answer(leaves[0]) : showParts(row, leaves))));
    const missing = row.absent.map(({ target, extra, word, reason }) => greyChip(target || extra || word, reason));
    const place = element(
      "div",
      { class: "choice group", role: "group", "aria-label": arena.plainText(label(row.head)) },
      badge(number),
      picture(row.head),
      element("span", { class: "words" }, element("b", {}, arena.text(label(row.head))), held(row.head), element("span", { class: "meaning" }, arena.text(shared(row.leaves)))),
      element("span", { class: "chips" }, chips, missing),
    );
    return keyed(place, number, open);
  }

  function chip(key, leaves, act) {
    const more = leaves.length > 1 ? " …" : "";
    const words = leaves.length === 1 ? leaves[0].meaning || leaves[0].word : `${leaves[0].head} ${key}`;
    const button = element("button", { type: "button", class: "chip", "aria-label": arena.plainText(words) }, arena.text(key), more);
    button.addEventListener("click", act);
    return button;
  }

  /** The words of a row, one for each button; of one target if only what comes with it is open. */
  function showParts(row, leaves) {
    const targets = new Set(leaves.map(({ target }) => target));
    const isNested = targets.size > 1 && leaves.some(({ extra }) => extra);
    const first = isNested ? [...targets].map((target) => leaves.filter((leaf) => leaf.target === target)) : leaves.map((leaf) => [leaf]);
    const buttons = first.map((some, index) =>
      some.length > 1
        ? big(index + 1, `${row.head}:${some[0].target}`, "", () => showParts(row, some))
        : big(index + 1, some[0].word, some[0].meaning, () => answer(some[0])),
    );
    const back = element("button", { type: "button", class: "back" }, "Back");
    back.addEventListener("click", leaveRow);
    current.place.replaceChildren(back, ...buttons);
    current.back = leaveRow;
    buttons[0].focus();
  }

  function leaveRow() {
    showRows();
    focusable()[0]?.focus();
  }

  const answer = (leaf) => current.table.say(leaf.word);

  function greyRow(number, row) {
    const reasons = [...new Set(row.absent.map(({ reason }) => reason))];
    const words = reasons.length === 1 ? reasons[0] : row.absent.map(({ target, extra, reason }) => `${target || extra}: ${reason}`).join("; ");
    return element(
      "button",
      { type: "button", class: "choice grey", "aria-disabled": "true" },
      badge(number),
      picture(row.head),
      element("span", { class: "words" }, element("b", {}, arena.text(label(row.head))), element("span", { class: "meaning" }, arena.text(words))),
    );
  }

  function greyChip(key, reason) {
    const button = element("button", { type: "button", class: "chip grey", "aria-disabled": "true", title: arena.plainText(reason), "aria-label": arena.plainText(`${key}: ${reason}`) }, arena.text(key));
    for (const event of ["click", "focus"]) button.addEventListener(event, () => current.table.why(reason));
    return button;
  }

  const badge = (number) => element("kbd", { "aria-hidden": "true" }, number > 9 ? "" : number);

  /** A word as it is shown: `priest@p2` is "priest → p2". */
  const label = (word) => word.replace(/^block:/, "block: ").replaceAll(/[:@](?=p[0-9])/g, " → ").replaceAll("@", ", ").replaceAll("+", " + ");

  /** A mark on a claim that is true: the player has the card. A claim without it is possible, too, and a bluff. */
  function held(word) {
    const { lines, seat } = current.table;
    const own = lines.find((line) => line.startsWith(`p${seat + 1} `)) ?? "";
    const hand = /\bhand=(\S+)/.exec(own)?.[1].split(",") ?? [];
    const isClaim = hand.includes(word.replace(/^block:/, "").split(/[:@]/)[0]) && picture(word);
    return isClaim ? element("span", { class: "held" }, "you have it") : null;
  }

  const picture = (word) => arena.pictures[current.table.game]?.(word) ?? null;

  // Keys

  const acts = new WeakMap(); // what the number of a row does

  const keyed = (arena.keyed = (place, number, act) => {
    place.dataset.number = number;
    acts.set(place, act);
    return place;
  });

  const focusable = () => [...document.querySelectorAll("#choices button, #choices input, #choices select")].filter((each) => each.offsetParent && !each.disabled);

  /** Act on a key that nothing else uses. */
  arena.choiceKey = (event) => {
    const { key } = event;
    const found = /^[1-9]$/.test(key) && document.querySelector(`#choices [data-number="${key}"]`);
    if (found) {
      event.preventDefault();
      return acts.get(found)();
    }
    if (["Escape", "Backspace"].includes(key) && current?.back) return current.back();
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[key];
    if (!step || document.activeElement.closest("#log, #rule, .plain")) return;
    const all = focusable();
    if (!all.length) return;
    event.preventDefault();
    const at = all.indexOf(document.activeElement);
    all[at < 0 ? 0 : (at + step + all.length) % all.length].focus();
  };

  // Amounts, and typed words

  function amounts({ options }, { say }) {
    const values = options.map(([word]) => Number(word));
    const [low, high] = [values[0], values.at(-1)];
    const step = values.length > 1 ? values[1] - low : 1;
    const bounds = { min: low, max: high, step, value: low };
    const field = element("input", { type: "number", inputmode: "numeric", "aria-label": "Amount", ...bounds });
    const slide = element("input", { type: "range", "aria-label": "Amount", ...bounds });
    const done = element("button", { class: "main" }, "");
    const set = (value) => {
      field.value = slide.value = value;
      done.textContent = `Pay ${Number(value).toLocaleString("en")}`;
    };
    field.addEventListener("input", () => set(field.value));
    slide.addEventListener("input", () => set(slide.value));
    const quick = [...new Set([...QUICK.map((many) => low + (many - 1) * step), high])].filter((value) => value <= high);
    const form = element(
      "form",
      { class: "amounts" },
      element(
        "div",
        { class: "chips" },
        quick.map((value) => {
          const button = element("button", { type: "button", class: "chip" }, value === high ? `all: ${value.toLocaleString("en")}` : value.toLocaleString("en"));
          button.addEventListener("click", () => set(value));
          return button;
        }),
      ),
      element("div", { class: "line" }, slide, field, done),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      say(field.value);
    });
    set(low);
    return form;
  }

  function typed({ open }, { say }) {
    const field = element("input", { type: "text", id: "word", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 900 });
    const form = element(
      "form",
      { class: "typed" },
      element("label", { for: "word" }, "Or type a word"),
      element("div", { class: "line" }, field, element("button", {}, "Answer")),
      open.map(([, how]) => element("p", { class: "note" }, how)),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.value.trim()) say(field.value.trim());
    });
    return form;
  }
})();
