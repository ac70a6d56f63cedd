"use strict";
/** The steps of a lesson. The number of the step is in the fragment of the address, so a reload stays there. */
(() => {
  const page = (id) => document.getElementById(id);
  const { game, names, scenes: packed } = page("lesson").dataset;
  const scenes = JSON.parse(packed);
  arena.own = 0;
  const seats = JSON.parse(names).map((bot, index) => ({ name: `p${index + 1}`, bot }));
  const steps = [...document.querySelectorAll(".step")];
  let at = 0;
  arena.names = seats.map(({ bot }) => bot);

  function draw(step, [lines, news, fresh], isMoving) {
    const table = step.querySelector(".table");
    const still = isMoving ? arena.stillOf(table) : null;
    const told = news.map(([text, sentence]) => ({ to: null, text, sentence }));
    const parts = told.slice(told.length - fresh).map(({ sentence }) => [arena.text(sentence), " "]);
    const heard = fresh ? arena.element("p", { class: "heard" }, parts) : null;
    table.replaceChildren(...[heard, arena.drawn(game, arena.scene(seats, 0, lines, told))].filter(Boolean));
    table.querySelectorAll(".box")[0]?.classList.add("own");
    arena.motion(still, table);
  }

  const isDone = (step) => !step.querySelector(".choice") || step.querySelector(".choice.right");

  function show(number) {
    at = Math.min(Math.max(number, 0), steps.length);
    for (const [index, step] of steps.entries()) step.hidden = index !== at;
    const step = steps[at];
    page("end").hidden = Boolean(step);
    page("next").hidden = !step;
    page("back").disabled = at === 0;
    page("progress").querySelector("progress").value = at;
    page("where").textContent = step ? `${at + 1} of ${steps.length}` : "done";
    if (step) {
      if (!step.querySelector(".table").childElementCount) draw(step, scenes[at].scene, false);
      page("next").disabled = !isDone(step);
    }
    if (location.hash !== `#${at + 1}`) history.replaceState(null, "", `#${at + 1}`);
    scrollTo({ top: 0 });
  }

  function choose(step, button) {
    const buttons = [...step.querySelectorAll(".choice")];
    const index = buttons.indexOf(button);
    const isRight = button.dataset.right === "1";
    button.classList.add(isRight ? "right" : "wrong");
    for (const [number, say] of step.querySelectorAll(".say").entries()) say.hidden = number !== index;
    const after = scenes[at].after[index];
    if (after) draw(step, after, true);
    page("next").disabled = !isDone(step);
    if (isRight) {
      for (const each of buttons) each.setAttribute("aria-disabled", "true");
      page("next").focus({ preventScroll: true });
    }
    step.querySelector(".says").scrollIntoView({ block: "nearest" });
  }

  for (const step of steps) {
    for (const word of step.querySelectorAll(".word")) word.replaceChildren(arena.text(word.textContent.replaceAll(/[:@](?=p[0-9])/g, " → ").replaceAll("@", ", placing ")));
    for (const words of step.querySelectorAll(".meaning, .question")) words.replaceChildren(arena.text(words.textContent));
    for (const button of step.querySelectorAll(".choice"))
      button.addEventListener("click", () => button.getAttribute("aria-disabled") || choose(step, button));
  }
  page("next").addEventListener("click", () => {
    show(at + 1);
    (steps[at]?.querySelector(".choice") ?? page("next")).focus({ preventScroll: true });
  });
  page("back").addEventListener("click", () => show(at - 1));
  document.addEventListener("keydown", ({ key, target, ctrlKey, altKey, metaKey }) => {
    if (ctrlKey || altKey || metaKey || target.matches("input, select")) return;
    if (/^[1-9]$/.test(key)) steps[at]?.querySelectorAll(".choice")[key - 1]?.click();
    if (key === "ArrowRight" && !page("next").disabled && !page("next").hidden) page("next").click();
    if (key === "ArrowLeft" && at) page("back").click();
  });
  addEventListener("hashchange", () => show(Number(location.hash.slice(1)) - 1));
  show((Number(location.hash.slice(1)) || 1) - 1);
})();
