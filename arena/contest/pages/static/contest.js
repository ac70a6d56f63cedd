"use strict";
/**
 * The pages of a contest. An element with `data-post` is an order: the fields of a form, or `data-values`, go to this
 * address as JSON. Parts with `data-fresh` are brought up to date from the page itself, as often as its first
 * `data-every` says; a part in which something is typed stays as it is.
 */
(() => {
  if (location.hash) history.replaceState(null, "", location.pathname + location.search); // a link, opened once more
  const status = document.getElementById("status");
  const say = (text) => status && (status.textContent = text);

  // Countdowns: by the clock of the server, which decides.
  const ahead = Date.now() - Date.parse(document.querySelector("[data-now]")?.dataset.now ?? new Date());
  const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

  function left(seconds) {
    if (seconds <= 0) return "(over)";
    const first = UNITS.findIndex(([, size]) => seconds >= size);
    const words = [];
    for (const [name, size] of UNITS.slice(first < 0 ? 3 : first, (first < 0 ? 3 : first) + 2)) {
      const count = Math.floor(seconds / size);
      seconds -= count * size;
      words.push(`${count} ${name}${count === 1 ? "" : "s"}`);
    }
    return `(${words.join(" ")} left)`;
  }

  function tick() {
    const now = Date.now() - ahead;
    for (const each of document.querySelectorAll("[data-until]"))
      each.textContent = left((Date.parse(each.dataset.until) - now) / 1000);
  }
  tick();
  setInterval(tick, 1000);

  // Fresh parts.
  function isChanged(field) {
    if (field.type === "checkbox") return field.checked !== field.defaultChecked;
    if (field.type === "select-one") return field.selectedIndex > 0;
    return field.value !== field.defaultValue;
  }

  const isInUse = (part) =>
    [...part.querySelectorAll("input, textarea, select")].some(isChanged) ||
    (part.contains(document.activeElement) && document.activeElement.matches("input, textarea, select"));

  async function refresh() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.status === 403) {
      clearInterval(timer); // who asks again and again without a token is taken for one who guesses
      say("Your link is not valid any more: the organiser can give you a new one.");
    }
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const runOf = (page) => page.querySelector("[data-run]")?.dataset.run;
    if (runOf(fresh) !== runOf(document)) return location.reload(); // the first games, or the standings are frozen
    for (const part of document.querySelectorAll("[data-fresh]")) {
      const found = fresh.querySelector(`[data-fresh="${part.dataset.fresh}"]`);
      if (found && !isInUse(part)) arena.patch(part, document.importNode(found, true));
    }
    for (const button of document.querySelectorAll("[data-show]"))
      button.hidden = fresh.querySelector(`[data-show="${button.dataset.show}"]`)?.hidden ?? true;
    tick();
  }

  const every = Number(document.querySelector("[data-every]")?.dataset.every);
  const timer = every
    ? setInterval(() => {
        if (!document.hidden) refresh().catch(() => {}); // the next one may succeed
      }, 1000 * every)
    : 0;

  // Orders.
  function valueOf(field) {
    if (field.type === "checkbox") return field.checked;
    return "number" in field.dataset ? Number(field.value) : field.value;
  }

  function valuesOf(element) {
    const values = JSON.parse(element.dataset.values ?? "{}");
    if (element instanceof HTMLFormElement)
      for (const field of element.elements) if (field.name) values[field.name] = valueOf(field);
    return values;
  }

  async function told(answer) {
    const text = await answer.text();
    let found;
    try {
      found = JSON.parse(text);
    } catch {
      found = { error: text.trim() };
    }
    if (!answer.ok) throw new Error(found.error ?? `The server says ${answer.status}.`);
    return found;
  }

  async function order(element) {
    if (element.dataset.sure && !confirm(element.dataset.sure)) return;
    say("");
    const found = await told(
      await fetch(element.dataset.post, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(valuesOf(element)),
      }),
    );
    if ("reload" in element.dataset) return location.reload();
    if ("link" in element.dataset) showLink(found.link);
    if ("clear" in element.dataset) element.reset();
    say(element.dataset.said ?? "");
    element.querySelector?.("textarea, input")?.blur();
    await refresh();
  }

  function showLink(link) {
    const place = document.getElementById("link");
    const field = place.querySelector("input");
    place.hidden = false;
    field.value = new URL(link, location.href).href;
    field.focus();
    field.select();
  }

  /** Sends a file as it is, so that the server can count it while it comes; a `fetch` would not tell how far it is. */
  function send(form) {
    const file = form.elements.file.files[0];
    const most = Number(form.dataset.most);
    if (file.size > most) throw new Error(`This file is too large: ${file.size} bytes, and ${most} are allowed.`);
    const bar = form.querySelector("progress");
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("PUT", form.dataset.file);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.upload.addEventListener("progress", ({ loaded, total }) => (bar.value = loaded / (total || 1)));
      request.addEventListener("error", () => reject(new Error("The server does not answer.")));
      request.addEventListener("load", () =>
        told(new Response(request.responseText, { status: request.status })).then(resolve, reject),
      );
      bar.hidden = false;
      request.send(file);
    }).finally(() => (bar.hidden = true));
  }

  async function handIn(form) {
    say("");
    const found = await send(form);
    form.reset();
    say(`Version ${found.version} is received: it ${found.words}.`);
    await refresh();
  }

  async function copy(button) {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.parentNode.querySelector(".copied").textContent = "Copied.";
  }

  /** Does it once, and tells what goes wrong; meanwhile its buttons are off. */
  async function act(element, does) {
    const buttons = element.matches("button") ? [element] : element.querySelectorAll("button");
    for (const button of buttons) button.disabled = true;
    try {
      await does(element);
    } catch (error) {
      say(error.message);
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  }

  document.addEventListener("submit", (event) => {
    event.preventDefault();
    act(event.target, "file" in event.target.dataset ? handIn : order);
  });
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("button[data-post], button[data-copy]");
    if (button) act(button, "copy" in button.dataset ? copy : order);
  });
})();
