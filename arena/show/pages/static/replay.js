"use strict";
/**
 * Steps through a recorded game: all of its steps, or those that one seat learns of. The functions are pure: they read
 * the game (arena/show/pages/game_data.py documents the format) and do not change the page.
 */
(() => {
  /** The replay of a game as a seat sees it; `seat` is a number from 0, or null for open cards. */
  arena.replay = (game, seat) => {
    const text = (number) => game.texts[number];
    const seats = game.bots.map((bot, number) => ({ name: `p${number + 1}`, bot }));
    const knows = (said) => seat === null || said.seat === null || said.seat === seat;

    const answers = new Map(); // by seat, so far
    const read = ([kind, by, said, sentence, ask, milliseconds, stderr]) => ({
      kind,
      seat: by,
      text: text(said),
      sentence: text(sentence),
      ask: ask === undefined ? "" : text(ask),
      milliseconds: milliseconds ?? null,
      stderr: stderr === undefined ? "" : text(stderr),
      calls: kind === "answer" ? callsOf(by) : [],
    });
    /** The calls of a language model for the next answer of a seat. */
    function callsOf(by) {
      const number = answers.get(by) ?? 0;
      answers.set(by, number + 1);
      const calls = game.calls?.[by]?.[number] ?? [];
      return calls.map((parts) => {
        const [prompt, thoughts, reply, problem] = parts.map(text);
        return { seat: by, prompt, thoughts, reply, problem };
      });
    }
    const steps = game.moments
      .map(([said, table, views], moment) => ({
        moment,
        said: said.map(read).filter(knows),
        table: seat === null ? table : views[seat],
      }))
      .filter((step) => step.said.length);
    const decided = decisions(game);
    const groups = [...new Set(steps.map((step) => decided[step.moment]))]; // the decisions that this replay shows
    steps.forEach((step) => (step.decision = groups.indexOf(decided[step.moment])));
    const has = (test) => steps.flatMap((step, at) => (step.said.some(test) ? [at] : []));
    const lines = (table) => game.tables[table].map(text);
    const news = [];
    for (const step of steps) {
      news.push(...told(step.said));
      step.heard = news.length; // the number of news up to this step
    }

    /** The table of a step. If only words were spoken, it is the table of the step before. */
    function tableAt(at) {
      const spoken = arena.manners[game.game]?.spoken;
      let from = at;
      while (spoken && from > 0 && told(steps[from].said).length && told(steps[from].said).every(({ text }) => spoken.test(text)))
        from--;
      return steps[from].table;
    }

    return {
      game,
      seat,
      seats,
      steps,
      decisions: groups.length - 1, // the set-up before the first one is number 0
      /** The steps at which decisions have had all their effects. */
      stops: steps.flatMap((step, at) =>
        steps[at + 1]?.decision === step.decision || (step.decision === 0 && groups.length > 1) ? [] : [at],
      ),
      turns: has((said) => said.kind === "event" && said.text.startsWith("turn ")),
      faults: has((said) => said.kind === "fault"),
      address: (at) => arena.address(game, steps[at].moment, seat),
      /** The step of a moment of the game, or the last one before it that this replay has. */
      at: (moment) =>
        Math.max(
          steps.findLastIndex((step) => step.moment <= moment),
          0,
        ),
      scene: (at) => arena.scene(seats, seat, lines(tableAt(at)), news.slice(0, steps[at].heard)),
      sentences: (at) => sentences(steps[at].said, seat !== null, game),
      /** What happened in this decision up to a step; answers that news tells are left out. */
      story: (at) => {
        const first = steps.findIndex((step) => step.decision === steps[at].decision);
        const parts = steps.slice(first, at + 1).flatMap(({ said }) => sentences(said, seat !== null, game));
        const told = parts.filter(({ kind }) => kind !== "answer");
        return told.length ? told : parts;
      },
      /** The calls of language models in this decision, up to a step. */
      calls: (at) => {
        const first = steps.findIndex((step) => step.decision === steps[at].decision);
        return steps.slice(first, at + 1).flatMap(({ said }) => said.flatMap(({ calls }) => calls));
      },
      /** How long a step lasts while the game plays, in milliseconds; 0 if it tells nothing new. */
      pace: (at) => Math.max(0, ...steps[at].said.map((said) => pace(game.game, said))),
      protocol: (at, of) =>
        steps[at].said
          .filter((said) => said.seat === null || said.seat === of)
          .flatMap((said) => protocolLines(said, () => lines(game.moments[steps[at].moment][2][of]))),
    };
  };

  /**
   * The number of the decision that each moment belongs to: it begins with an answer to an ask that not all seats
   * pass, or with the turn before it, and has what follows from it.
   */
  function decisions(game) {
    const isDecision = ([kind, , text]) => kind === "answer" && game.texts[text] !== "pass";
    const beginsTurn = ([kind, , text]) => kind === "event" && game.texts[text].startsWith("turn ");
    let number = 0;
    let isOpen = false; // a turn has begun, and no player has decided yet
    return game.moments.map(([said]) => {
      const decides = said.some(isDecision);
      if (said.some(beginsTurn) || (decides && !isOpen)) number++;
      isOpen = decides ? false : isOpen || said.some(beginsTurn);
      return number;
    });
  }

  const PACES = { event: 800, secret: 300, fault: 1500, end: 1000 };

  function pace(name, { kind, text }) {
    const own = kind === "event" && arena.manners[name]?.paces?.[text.split(" ")[0]];
    return own || (PACES[kind] ?? 0);
  }

  /** The part of an address that names a moment of a game, and the seat whose view is shown. */
  arena.address = ({ id }, moment, seat) => `#${id}/${moment + 1}${seat === null ? "" : `/p${seat + 1}`}`;

  /** The events and secrets that were told; `to` is the seat of a secret. */
  const told = (said) =>
    said
      .filter(({ kind }) => kind === "event" || kind === "secret")
      .map(({ seat: to, text, sentence }) => ({ to, text, sentence }));

  /**
   * What a drawing gets: the table of these `state` lines, and the news up to it. `seats` has `{name, bot}`; `seat` is
   * the number of the seat whose view it is, null with open cards, and -1 for a spectator, who sees no hidden cards.
   */
  arena.scene = (seats, seat, lines, news) => {
    const states = lines.map(parsed);
    const found = Object.fromEntries(states.map(({ head, state }) => [head, state]));
    const isSeat = (head) => seats.some(({ name }) => name === head);
    return {
      seat,
      table: found.table ?? {},
      seats: seats.map((each) => ({ ...each, state: found[each.name] ?? {} })),
      lines: lines.filter((line) => !isSeat(parsed(line).head)),
      news,
    };
  };

  /** A `state` line: its first word, and its `key=value` words; another word stands for itself. */
  function parsed(line) {
    const [head, ...words] = line.split(" ");
    const state = Object.create(null);
    for (const word of words) {
      const [key, ...value] = word.split("=");
      state[key] = value.join("=");
    }
    return { head, state };
  }

  /** What happened in a step, as sentences with their kind. */
  function sentences(said, own, game) {
    const of = (...kinds) => said.filter(({ kind }) => kinds.includes(kind));
    const secrets = own ? of("secret").map(({ sentence }) => sentence) : alone(of("secret"));
    return [
      ...answered(of("answer")).map((text) => ({ kind: "answer", text })),
      ...of("event").map(({ text, sentence }) => ({
        kind: text.startsWith("turn ") ? "turn" : "event",
        text: sentence,
      })),
      ...secrets.map((text) => ({ kind: "secret", text })),
      ...of("fault").map(({ seat, text }) => ({ kind: "fault", text: `A fault of ${label(seat)}: ${text}` })),
      ...of("end").map(() => ({
        kind: "end",
        text: `The end: ${arena.ranking(game).map(placed).join(", ")}.`,
      })),
    ];
  }

  const label = (seat) => `p${seat + 1}`;

  const placed = ({ place, seat, score }) =>
    `${place}. ${label(seat)}${score === null ? "" : ` with ${score}`}`;

  /** Texts with the seats that have them, equal ones together: `p2 p3`. */
  function together(said, text) {
    const seats = new Map();
    for (const each of said) seats.set(text(each), [...(seats.get(text(each)) ?? []), label(each.seat)]);
    return [...seats].map(([shared, by]) => [by.join(" "), shared]);
  }

  const alone = (secrets) =>
    together(secrets, ({ sentence }) => sentence).map(([by, sentence]) => `${by} alone: ${sentence}`);

  /** The answers to an ask in one sentence: `challenge? p2 p3 pass, p4 challenge`. */
  function answered(answers) {
    if (!answers.length) return [];
    const groups = together(answers, ({ text }) => headOf(text)).map(([by, word]) => `${by} ${word}`);
    return [`${answers[0].ask.split(" ")[0]}? ${groups.join(", ")}`];
  }

  /** An answer without the terms of an open word, which its news tells: `threat:p2:p1/spare=p3` is "threat → p2". */
  function headOf(answer) {
    const [verb, to, ...terms] = answer.split(":");
    const head = terms.length ? (/^p[0-9]+$/.test(to) ? `${verb}:${to}` : verb) : answer;
    return head.replaceAll(/[:@](?=p[0-9])/g, " → ");
  }

  /** The recorded result, the best first. */
  arena.ranking = ({ places, scores, bots }) =>
    places
      .map((place, seat) => ({ place, seat, bot: bots[seat], score: scores ? scores[seat] : null }))
      .sort((one, other) => one.place - other.place || one.seat - other.seat);

  /** The lines that a seat read (`<`) and wrote (`>`), as `arena replay --seat` shows them. */
  function protocolLines(said, states) {
    const { kind, text, ask, milliseconds, stderr } = said;
    if (kind === "stderr") return stderrLines(text);
    if (kind === "fault") return [{ mark: "<", text: `error ${text}`, kind }];
    if (kind !== "answer") return [{ mark: "<", text: `${kind} ${text}`, kind }];
    return [
      ...states().map((line) => ({ mark: "<", text: `state ${line}`, kind: "state" })),
      { mark: "<", text: `ask ${ask}`, kind: "ask" },
      ...stderrLines(stderr),
      { mark: ">", text, kind, time: milliseconds === null ? "" : `${milliseconds.toFixed(2)} ms` },
    ];
  }

  const stderrLines = (text) =>
    text
      .split("\n")
      .filter((line) => line.trim())
      .map((line) => ({ mark: "#", text: line, kind: "stderr" }));
})();
