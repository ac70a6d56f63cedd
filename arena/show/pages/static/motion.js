"use strict";
/**
 * Motion of the table from one step to the next: cards turn, coins fly, words appear. `arena.motion(before, after)`
 * compares two drawings of the table; it does nothing if the reader asks for reduced motion.
 */
(() => {
  const [TURN_MS, FLY_MS, SAY_MS] = [700, 600, 300];
  const isStill = matchMedia("(prefers-reduced-motion: reduce)");

  /** Start the motion in a new drawing that replaced an old one; `places` are where the purses were. */
  arena.motion = (before, after) => {
    if (isStill.matches || !before) return;
    const [old, now] = [before, [...after.querySelectorAll(".box")].map(contents)];
    if (old.length !== now.length) return;
    now.forEach((box, seat) => {
      fresh(box.cards, old[seat].cards, cardKey).forEach(turn);
      fresh(box.words, old[seat].words, (each) => each.text ?? each.textContent).forEach(appear);
    });
    fly(old, now, after);
  };

  /** The content of a drawing before it is replaced. */
  arena.stillOf = (table) => [...table.querySelectorAll(".box")].map((box) => copied(contents(box)));

  const contents = (box) => ({
    box,
    purse: box.querySelector(".coins, .ducats"),
    cards: [...box.querySelectorAll(".card:not(.back), .zone .advisor")],
    words: [...box.querySelectorAll(".said > *")],
  });

  const copied = ({ purse, cards, words }) => ({
    amount: amountOf(purse),
    cards: cards.map((each) => ({ key: cardKey(each) })),
    words: words.map((each) => ({ text: each.textContent })),
  });

  const cardKey = (card) => card.key ?? `${card.getAttribute("class")} ${card.title}`;
  const amountOf = (purse) => (purse ? Number(purse.textContent.replace(/\D/g, "")) : null);

  /** The elements of a list that an earlier list lacks. */
  function fresh(list, earlier, key) {
    const left = earlier.map(key);
    return list.filter((each) => {
      const found = left.indexOf(key(each));
      if (found >= 0) left.splice(found, 1);
      return found < 0;
    });
  }

  const turn = (card) =>
    card.animate(
      [{ transform: "rotateY(90deg)" }, { transform: "rotateY(0) scale(1.12)", offset: 0.6 }, {}],
      { duration: TURN_MS, easing: "ease-out" },
    );

  const appear = (words) =>
    words.animate([{ opacity: 0, transform: "translateY(.4em) scale(.85)" }, {}], {
      duration: SAY_MS,
      easing: "ease-out",
    });

  /** Coins fly from players with a loss to players with a gain, or from or to the middle if there is none. */
  function fly(old, now, table) {
    const changes = now.map(({ purse }, seat) => [purse, amountOf(purse) - old[seat].amount]);
    const known = changes.filter(([purse, by]) => purse && by);
    const [gain, loss] = [known.filter(([, by]) => by > 0), known.filter(([, by]) => by < 0)];
    const middle = table.querySelector(".middle .coins") ?? table.querySelector(".heads");
    for (const [purse, by] of known) mark(purse, by);
    if (gain.length && loss.length) gain.forEach(([purse], n) => coin(loss[Math.min(n, loss.length - 1)][0], purse, table));
    else for (const [purse, by] of known) if (middle) coin(...(by > 0 ? [middle, purse] : [purse, middle]), table);
  }

  /** A number that changed, with the difference above it. */
  function mark(purse, by) {
    const words = `${by > 0 ? "+" : "−"}${Math.abs(by).toLocaleString("en")}`;
    const note = arena.element("span", { class: "change", "aria-hidden": "true" }, words);
    purse.after(note);
    note
      .animate([{ opacity: 1 }, { opacity: 1, offset: 0.6 }, { opacity: 0, transform: "translateY(-1.2em)" }], 2 * FLY_MS)
      .finished.then(() => note.remove(), () => note.remove());
  }

  function coin(from, to, table) {
    const [start, end, origin] = [from, to, table].map((each) => each.getBoundingClientRect());
    const at = (place) => `translate(${place.left - origin.left}px, ${place.top - origin.top}px)`;
    const flying = arena.element("span", { class: "coins flying", "aria-hidden": "true" });
    table.append(flying);
    flying
      .animate([{ transform: at(start) }, { transform: at(end) }], { duration: FLY_MS, easing: "ease-in-out" })
      .finished.then(() => flying.remove(), () => flying.remove());
  }
})();
