"use strict";
/**
 * The parts of drawings. `arena.drawings.NAME` draws the table of a game; a game without a drawing gets a table
 * of text. Text from games is untrusted: it only becomes text nodes and attributes, with its control characters
 * and direction marks escaped. `arena.manners.NAME` says how a game is shown in time: `paces` has the milliseconds
 * of news by their first word, `spoken` matches news that change nothing on the table. `arena.names` has the bots
 * of the seats of the game that is shown, `arena.own` the seat of a player, from 0: it is drawn at the bottom. For players in the browser `arena.pictures.NAME` draws what an option names,
 * and `arena.composers.NAME` makes the controls of a talk.
 */
const arena = {
  drawings: Object.create(null),
  manners: Object.create(null),
  pictures: Object.create(null),
  composers: Object.create(null),
  names: [],
  own: null,
};

(() => {
  // As CONTROL in arena/config/text.py, but a newline stays.
  const CONTROL = new RegExp(
    "[\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f" +
      "\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]",
    "gu",
  );

  const escaped = (character) => `\\u{${character.codePointAt(0).toString(16)}}`;

  /** Untrusted text with its control characters escaped. */
  arena.printable = (text) => String(text).replace(CONTROL, escaped);

  /**
   * An element. Attributes that are null or false are left out. Children are elements, texts, or arrays of
   * them; null and undefined are left out.
   */
  arena.element = (tag, attributes = {}, ...children) =>
    filled(document.createElement(tag), attributes, children);

  /** An element of SVG. */
  arena.svg = (tag, attributes = {}, ...children) =>
    filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  function filled(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== false) element.setAttribute(name, arena.printable(value));
    }
    const present = children.flat(Infinity).filter((child) => child !== null && child !== undefined);
    element.append(...present.map((child) => (child instanceof Node ? child : arena.printable(child))));
    return element;
  }

  const COLOURS = 8;

  /** The label of a seat, in its colour: `p1`. */
  arena.seat = (name) => arena.element("b", { class: `seat s${((name.slice(1) - 1) % COLOURS) + 1}` }, name);

  /** A seat with the name of its bot, which is untrusted. */
  arena.player = (seat) =>
    arena.element(
      "span",
      { class: "player", title: seat.bot },
      arena.seat(seat.name),
      " ",
      arena.element("bdi", {}, seat.bot),
    );

  /** The name of the bot on a seat, `p1`; with the seat if another one has the same name. */
  const nameOf = (seat) => {
    const name = arena.names[seat.slice(1) - 1];
    if (name === undefined) return seat;
    return arena.names.filter((each) => each === name).length > 1 ? `${name} (${seat})` : name;
  };

  const SEATS = /\b(p(?:[1-9]|1[0-6]))\b/;
  const parts = (text) => String(text).replaceAll(/\b(p[0-9]+)\.(?=[a-z])/g, "$1’s ").split(SEATS); // p1.priest

  /** A text in which seats have the names of their bots, in their colours. */
  arena.text = (text) =>
    arena.element(
      "bdi",
      {},
      parts(text).map((part, index) => (index % 2 ? named(part) : part)),
    );

  function named(seat) {
    const label = arena.seat(seat);
    label.replaceChildren(arena.element("bdi", {}, nameOf(seat)));
    label.title = seat;
    return label;
  }

  /** The same as a plain text. */
  arena.plainText = (text) =>
    parts(text)
      .map((part, index) => (index % 2 ? nameOf(part) : part))
      .join("");

  /** The words of a list `a,b` of a `state` line; none if the line has no such list. */
  arena.list = (value) => (value ? value.split(",") : []);

  /** Cells of a grid, each written as its column and its row: "00 10" is [[0, 0], [1, 0]]. */
  const cells = (text) => text.split(" ").map((cell) => [Number(cell[0]), Number(cell[1])]);

  // Where seats stand around a table, clockwise, by the columns of the grid and the seats.
  const PLACES = {
    2: {
      2: cells("00 10"),
      3: cells("00 10 11"),
      4: cells("00 10 11 01"),
      5: cells("00 10 11 02 01"),
    },
    3: {
      2: cells("00 20"),
      3: cells("00 20 11"),
      4: cells("00 20 21 01"),
      5: cells("00 20 21 11 01"),
      6: cells("00 20 21 22 02 01"),
      7: cells("00 20 21 22 12 02 01"),
      8: cells("00 10 20 21 22 12 02 01"),
    },
  };

  const isNarrow = matchMedia("(max-width: 40em)");

  /**
   * The places of so many seats; turned so that the own seat is at the bottom, in the middle if there is one. Tall
   * boxes of two columns do not fit on a phone: there it is the first.
   */
  function placesOf(columns, count) {
    const places = PLACES[columns][count];
    if (arena.own === null) return places;
    const lowest = columns === 2 && isNarrow.matches ? 0 : Math.max(...places.map(([, row]) => row));
    const wanted = columns === 3 ? [1, 0] : [0, 1];
    const at = (column) => places.findIndex((place) => place[0] === column && place[1] === lowest);
    const own = wanted.map(at).find((index) => index >= 0);
    return places.map((_, seat) => places[(own + seat - arena.own + count) % count]);
  }

  /**
   * The boxes of 2 to 8 seats around a table, with something in the `middle`. With 2 `columns` there is no
   * middle, but more width for 2 to 5 seats. An arrow is `{from, to, kind}`, with seats as numbers from 0. The
   * kinds that have a style are `act`, `challenge` and `block`. The last arrow is emphasised.
   */
  arena.ring = (boxes, { arrows = [], middle = null, columns = 3 } = {}) => {
    const places = placesOf(columns, boxes.length);
    const rows = Math.max(...places.map(([, row]) => row)) + 1;
    const free = [...Array(rows).keys()].filter(
      (row) => !places.some((place) => place[0] === 1 && place[1] === row),
    );
    const put = (element, [column, row], span = 1) => {
      element.style.gridArea = `${row + 1} / ${column + 1} / span ${span}`;
      return element;
    };
    return arena.element(
      "div",
      { class: `ring columns${columns}` },
      arena.svg(
        "svg",
        { class: "arrows", "aria-hidden": "true" },
        arena.svg("defs", {}, [...new Set(arrows.map(({ kind }) => kind))].map(arrowhead)),
        arrows.map((each, index) => arrow(each, places, columns, rows, index === arrows.length - 1)),
      ),
      middle && put(arena.element("div", { class: "middle" }, middle), [1, free[0]], free.length),
      boxes.map((box, seat) => put(box, places[seat])),
    );
  };

  const arrowhead = (kind) =>
    arena.svg(
      "marker",
      {
        id: `head-${kind}`,
        class: kind,
        viewBox: "0 0 10 10",
        refX: 9,
        refY: 5,
        markerWidth: 4.5,
        markerHeight: 4.5,
        orient: "auto",
      },
      arena.svg("path", { d: "M0 0L10 5L0 10z" }),
    );

  // In cells: the distance from the end of an arrow to the middle of the box that it points to, and how far an
  // arrow is moved aside, so that arrows there and back do not overlap.
  const [EDGE, ASIDE] = [0.46, 0.06];

  function arrow({ from, to, kind }, places, columns, rows, last) {
    const [dx, dy] = [places[to][0] - places[from][0], places[to][1] - places[from][1]];
    const flat = Math.abs(dx) >= Math.abs(dy); // it ends at a side of the box, and moves along that side
    const x = places[from][0] - (flat ? 0 : Math.sign(dy) * ASIDE);
    const y = places[from][1] + (flat ? Math.sign(dx) * ASIDE : 0);
    const part = 1 - Math.min(EDGE / Math.abs(dx), EDGE / Math.abs(dy));
    const across = (column) => `${(((column + 0.5) / columns) * 100).toFixed(2)}%`;
    const down = (row) => `${(((row + 0.5) / rows) * 100).toFixed(2)}%`;
    return arena.svg("line", {
      class: last ? `${kind} last` : kind,
      x1: across(x),
      y1: down(y),
      x2: across(x + dx * part),
      y2: down(y + dy * part),
      "marker-end": `url(#head-${kind})`,
    });
  }

  /** The table by the drawing of its game; if there is none, or it fails, as text. */
  arena.drawn = (game, scene) => {
    const draw = arena.drawings[game];
    if (!draw) return arena.plainTable(scene);
    try {
      return draw(scene);
    } catch (error) {
      console.error(error);
      return arena.plainTable(scene);
    }
  };

  /** The table of a game that has no drawing: its `state` lines, a row for each seat. */
  arena.plainTable = (scene) => {
    const keys = [...new Set(scene.seats.flatMap((seat) => Object.keys(seat.state)))];
    const cells = (seat) =>
      keys.map((key) => arena.element("td", {}, (seat.state[key] ?? "").replaceAll(",", ", ")));
    const head = keys.map((key) => arena.element("th", { scope: "col" }, key));
    const rows = scene.seats.map((seat) =>
      arena.element("tr", {}, arena.element("th", { scope: "row" }, arena.player(seat)), cells(seat)),
    );
    return arena.element(
      "div",
      { class: "plain scroll", tabindex: "0", role: "region", "aria-label": "The table" },
      scene.lines.map((line) => arena.element("p", {}, line)),
      arena.element(
        "table",
        {},
        arena.element("thead", {}, arena.element("tr", {}, arena.element("td"), head)),
        arena.element("tbody", {}, rows),
      ),
    );
  };
})();
