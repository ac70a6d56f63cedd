"use strict";
/** The page of a run: each event brings the new HTML of a part of the page. */
(() => {
  const part = (name) => document.querySelector(`[data-part=${name}]`);

  // A page may show some parts of a run that has another address.
  const run = document.querySelector("[data-run]")?.dataset.run ?? location.pathname.replace(/\/$/, "");
  arena.stream(`${run}/events`, {
    part: (data) => {
      const { name, html } = JSON.parse(data);
      const fresh = document.createElement("template");
      fresh.innerHTML = html; // made by a template of the server, which escapes all names
      if (part(name)) arena.patch(part(name), fresh.content);
    },
    connected: (yes) => (document.querySelector(".offline").hidden = yes),
  });
})();
