"use strict";
/**
 * The page of a game: `game.html#ID/MOMENT/SEAT`. A game is a script, `games/ID.js`, which calls
 * `arena.show`: a page that is opened from disk may load scripts, but no other data.
 */
(() => {
  const page = (id) => document.getElementById(id);
  const DELAY_MS = 250; // Browsers allow only a few changes of the address a second.

  let replay = null; // the game that is shown, as one seat sees it or with open cards
  let at = 0; // the current step of the replay
  let timer = null; // for the next step while the replay plays
  let addressTimer = null; // for the next change of the address

  // Games

  const games = new Map(); // the loaded games, by id
  const requested = new Set();

  /** Called by the script of a game: JSON, compressed by zlib, in base64. */
  arena.show = async (packed) => {
    try {
      const bytes = Uint8Array.from(atob(packed), (each) => each.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      const game = JSON.parse(await new Response(stream).text());
      games.set(game.id, game);
      follow();
    } catch (error) {
      say(`This game cannot be read: ${error.message}.`);
    }
  };

  function load(id) {
    say("Loading…");
    if (requested.has(id)) return;
    requested.add(id);
    const script = arena.element("script", { src: `games/${id}.js` });
    script.onerror = () => {
      requested.delete(id);
      say(`There is no game ${id} among these pages.`);
    };
    document.head.append(script);
  }

  /** Show a sentence instead of a game. */
  function say(sentence) {
    pause();
    replay = null;
    page("viewer").hidden = true;
    page("message").textContent = sentence;
  }

  // The address

  /** Show what the address names. */
  function follow() {
    clearTimeout(addressTimer);
    const [id, moment = "1", seat = ""] = location.hash.slice(1).split("/");
    if (!id) return say("No game is chosen.");
    if (!/^[0-9a-f]{16}$/.test(id))
      return say("The address names no game: the id of a game has 16 hex digits.");
    if (!games.has(id)) return load(id);
    const game = games.get(id);
    const number = /^p[1-9][0-9]?$/.test(seat) ? seat.slice(1) - 1 : null;
    if (seat && (number === null || number >= game.bots.length)) {
      return say(`This game has the seats p1 to p${game.bots.length}, and no seat ${arena.printable(seat)}.`);
    }
    if (!/^[1-9][0-9]*$/.test(moment) || moment > game.moments.length) {
      return say(
        `This game has the moments 1 to ${game.moments.length}, and no moment ${arena.printable(moment)}.`,
      );
    }
    if (replay?.game !== game || replay.seat !== number) open(game, number);
    show(replay.at(moment - 1));
  }

  /** Put this step into the address. A `jump` adds an entry to the history; a step replaces the current one. */
  function remember(jump) {
    clearTimeout(addressTimer);
    const change = () => history[jump ? "pushState" : "replaceState"](null, "", replay.address(at));
    if (jump) change();
    else addressTimer = setTimeout(change, DELAY_MS);
  }

  // The replay

  /** Show a game, with open cards or as a seat sees it. */
  function open(game, seat) {
    replay = arena.replay(game, seat);
    page("message").textContent = "";
    page("viewer").hidden = false;
    arena.panes.open(replay);
  }

  function show(step) {
    at = step;
    arena.panes.show(at);
  }

  function go(step, jump = false) {
    show(Math.min(Math.max(step, 0), replay.steps.length - 1));
    remember(jump);
  }

  const isOver = () => at === replay.steps.length - 1;

  function play() {
    if (isOver()) go(0);
    page("now").setAttribute("aria-live", "off"); // Screen readers would fall behind.
    document.querySelector("[data-go=play]").setAttribute("aria-pressed", "true");
    wait();
  }

  function wait() {
    timer = setTimeout(
      () => {
        go(replay.steps.findIndex((_, step) => step > at && (replay.pace(step) || step === replay.steps.length - 1)));
        if (isOver()) pause();
        else wait();
      },
      replay.pace(at) / page("speed").value,
    );
  }

  function pause() {
    clearTimeout(timer);
    timer = null;
    page("now").setAttribute("aria-live", "polite");
    document.querySelector("[data-go=play]").setAttribute("aria-pressed", "false");
  }

  function changeSpeed(by) {
    const { options, selectedIndex } = page("speed");
    page("speed").selectedIndex = Math.min(Math.max(selectedIndex + by, 0), options.length - 1);
  }

  // What the user does

  const PLAYING = {
    play: () => (timer ? pause() : play()),
    faster: () => changeSpeed(1),
    slower: () => changeSpeed(-1),
  };
  const STEPS = {
    first: () => go(0, true),
    last: () => go(replay.steps.length - 1, true),
    back: () => go(replay.stops.findLast((stop) => stop < at) ?? 0),
    next: () => go(replay.stops.find((stop) => stop > at) ?? at),
    lineBack: () => go(at - 1),
    lineNext: () => go(at + 1),
    turnBack: () => go(replay.turns.findLast((turn) => turn < at) ?? 0),
    turnNext: () => go(replay.turns.find((turn) => turn > at) ?? replay.steps.length - 1),
    fault: () => go(replay.faults.find((fault) => fault > at) ?? replay.faults[0] ?? at, true),
    nextSeat: () => look(replay.seat === null ? 0 : replay.seat + 1),
    keys: () => page("keys").showModal(),
  };
  const KEYS = {
    ArrowLeft: "back",
    ArrowRight: "next",
    ",": "lineBack",
    ".": "lineNext",
    ArrowUp: "turnBack",
    ArrowDown: "turnNext",
    PageUp: "turnBack",
    PageDown: "turnNext",
    Home: "first",
    End: "last",
    " ": "play",
    "+": "faster",
    "-": "slower",
    f: "fault",
    s: "nextSeat",
    "?": "keys",
  };

  // The keys that scroll an element that has the focus
  const SCROLL_DOWN = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "];
  const SCROLL_ASIDE = ["ArrowLeft", "ArrowRight"];

  /** Change to the view of a seat, a number from 0; beyond the last one, and for null, to open cards. */
  function look(seat) {
    const known = seat !== null && seat < replay.seats.length ? seat : null;
    location.hash = arena.address(replay.game, replay.steps[at].moment, known);
  }

  /** Run a command. A step by hand stops the playing. */
  function run(command) {
    if (command in PLAYING) return PLAYING[command]();
    pause();
    STEPS[command]();
  }

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    const isSeat = /^[0-9]$/.test(key) && key <= replay?.seats.length;
    if (!replay || !(key in KEYS || isSeat) || event.ctrlKey || event.altKey || event.metaKey || page("keys").open)
      return;
    if (target.matches("select")) return;
    if (key === " " && target.matches("button, summary")) return; // The space presses that button.
    if (target.matches("#lines, #now") && SCROLL_DOWN.includes(key)) return;
    if (target.matches(".plain") && SCROLL_ASIDE.includes(key)) return;
    event.preventDefault();
    if (isSeat) look(key === "0" ? null : key - 1);
    else run(KEYS[key]);
  });
  for (const button of document.querySelectorAll("[data-go]")) {
    button.addEventListener("click", () => run(button.dataset.go));
  }
  page("slider").addEventListener("input", () => {
    pause();
    go(Number(page("slider").value));
  });
  page("list").addEventListener("click", ({ target }) => {
    if (!target.closest("a")) return;
    pause();
    if (target.closest("a").hash === location.hash) follow(); // The browser would do nothing.
  });
  page("seat").addEventListener("change", () => {
    const seat = page("seat").value;
    look(seat === "" ? null : Number(seat));
  });
  addEventListener("hashchange", follow);
  follow();
})();
