"use strict";
/** The table of the local variant: hands, the card placed for a claim, discards and cemeteries. */
(() => {
  const { card, turn, bubbles, arrows, title } = arena.claims;

  const row = (label, cards) =>
    arena.element(
      "div",
      { class: "pile" },
      arena.element("span", { class: "label" }, label),
      arena.element("span", { class: "cards" }, cards),
    );

  /** The cards of a hand: their names if they are known, otherwise as many as there are. */
  function hand({ hand: names, cards, placed }, open) {
    if (open) return arena.list(names).map((name) => card(name));
    const count = Number(cards) - (placed === "hidden"); // a card placed for a claim counts among the cards of the hand until it is proven
    return Array.from({ length: count }, () => card("hidden"));
  }

  function box(seat, index, scene, { actor, said }) {
    const { state } = seat;
    const open = scene.seat === null || scene.seat === index;
    const marker =
      scene.table.marker === seat.name ? arena.element("span", { class: "marker" }, "marker") : null;
    const [discard, cemetery] = [arena.list(state.discard), arena.list(state.cemetery)];
    const out = state.cards === "0" && !state.placed && !discard.length ? " out" : "";
    return arena.element(
      "div",
      { class: `box local${seat.name === actor ? " actor" : ""}${out}` },
      title(seat, marker),
      row("hand", hand(state, open)),
      row("placed", state.placed ? card(state.placed, "placed") : null),
      row(
        "discard",
        discard.map((name) => card(name, "used")),
      ),
      row(
        "cemetery",
        cemetery.map((name) => card(name, "lost")),
      ),
      bubbles(said, seat.name),
    );
  }

  arena.drawings.local = (scene) => {
    const { treasury, manche, tour } = scene.table;
    const now = turn(scene.news);
    const heads = [
      now.number ? `Turn ${now.number}` : "Set-up",
      `Manche ${manche}, tour ${tour}`,
      `Treasury ${treasury}`,
    ];
    return arena.element(
      "div",
      {},
      arena.element(
        "p",
        { class: "heads" },
        heads.map((head) => arena.element("span", {}, head)),
      ),
      arena.ring(
        scene.seats.map((seat, index) => box(seat, index, scene, now)),
        { arrows: arrows(now.said), columns: 2 },
      ),
    );
  };
})();
