"use strict";
/** Exchanges the token in the fragment of the address for a cookie, and goes on to the page that it opens. */
(async () => {
  const status = document.getElementById("open");
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname); // the token is read from no screen and no history
  if (!token) {
    status.textContent = "This page needs the link that you were given, with all that stands after the #.";
    return;
  }
  try {
    const answer = await fetch(status.dataset.at, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
    });
    const found = await answer.json();
    if (answer.ok) location.replace(found.to);
    else status.textContent = found.error;
  } catch {
    status.textContent = "The server does not answer. Open the link again in a moment.";
  }
})();
