"use strict";
/** Exchanges the token in the fragment of the address for a cookie, and goes on to the page that it opens. */
(() => {
  const status = document.getElementById("open");
  const form = document.getElementById("token");

  async function open(token) {
    try {
      const answer = await fetch(status.dataset.at, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ token }),
      });
      const found = await answer.json();
      if (answer.ok) location.replace(found.to);
      else ask(found.error);
    } catch {
      ask("The server does not answer. Try again in a moment.");
    }
  }

  function ask(why) {
    status.textContent = why;
    form.hidden = false;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    open(form.elements.token.value.trim().split(/[#\s]/).pop()); // of a link, or of the line of a token file
  });
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname); // the token is read from no screen and no history
  if (token) open(token);
  else ask("This page needs the link that you were given, with all that stands after the #, or your token.");
})();
