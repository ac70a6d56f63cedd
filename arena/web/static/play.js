"use strict";
/** The buttons that begin a game against the house: one click, and the player sits at a table. */
for (const button of document.querySelectorAll("button[data-play]"))
  button.addEventListener("click", async () => {
    const status = button.closest("main").querySelector(".status");
    const level = document.querySelector("[name=level]:checked")?.value;
    button.disabled = true;
    status.textContent = "A table is made ready …";
    try {
      const answer = await fetch("/guest", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ game: button.dataset.play, ...(level ? { level } : {}) }),
      });
      const found = await answer.json();
      if (answer.ok) return location.assign(found.seat);
      status.textContent = found.error;
    } catch {
      status.textContent = "The server does not answer. Try again in a moment.";
    }
    button.disabled = false;
  });
