"use strict";
/** The operator's page: sets tables, makes links and revokes tokens. */
(() => {
  if (location.hash) history.replaceState(null, "", location.pathname); // the link, opened once more
  const status = document.getElementById("status");
  const links = document.getElementById("links");

  async function post(path, values) {
    status.textContent = "";
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(values),
    });
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error);
    return found;
  }

  /** What an element does; what goes wrong is told on the page. */
  function on(element, event, act) {
    element.addEventListener(event, (happened) => {
      happened.preventDefault();
      act().catch((error) => (status.textContent = error.message));
    });
  }

  function showLink(name, link) {
    const item = document.createElement("li");
    const field = document.createElement("input");
    field.readOnly = true;
    field.value = new URL(link, location.href).href;
    field.setAttribute("aria-label", `Link for ${name}`);
    field.addEventListener("focus", () => field.select());
    item.append(`${name}: `, field);
    links.append(item);
    field.focus();
  }

  const number = (field) => (field.value === "" ? undefined : Number(field.value));

  for (const form of document.querySelectorAll("form[data-game]"))
    on(form, "submit", async () => {
      const options = {};
      for (const field of form.querySelectorAll("[data-option]"))
        if (!("default" in field.selectedOptions[0].dataset)) options[field.dataset.option] = JSON.parse(field.value);
      const seats = [...form.querySelectorAll("[name=seat]")].map((field) => field.value).filter(Boolean);
      const { move, bank } = form.elements;
      const values = { game: form.dataset.game, seats, options, move: number(move), bank: number(bank) };
      const found = await post("/tables", values);
      links.replaceChildren();
      for (const { seat, link } of found.seats) showLink(`Seat ${seat + 1}`, link);
      status.textContent = "The table is set. Give each person a link; it works once. The game begins when all have opened theirs.";
    });

  for (const button of document.querySelectorAll("button[data-table]"))
    on(button, "click", async () => {
      const { table, seat } = button.dataset;
      const { link } = await post("/operator/link", { table, seat: Number(seat) });
      links.replaceChildren();
      showLink(`Seat ${Number(seat) + 1}`, link);
      status.textContent = "This link works once; what was opened with the one before has ended.";
    });

  for (const button of document.querySelectorAll("button[data-close]"))
    on(button, "click", async () => {
      await post("/operator/close", { table: button.dataset.close });
      location.reload();
    });

  for (const button of document.querySelectorAll("button[data-role]"))
    on(button, "click", async () => {
      const { role, subject } = button.dataset;
      await post("/operator/revoke", { role, subject });
      location.reload();
    });
})();
