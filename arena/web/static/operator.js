"use strict";
/** The buttons of the operator's page. */
if (location.hash) history.replaceState(null, "", location.pathname); // the link, opened once more
for (const button of document.querySelectorAll("button[data-role]"))
  button.addEventListener("click", async () => {
    const { role, subject } = button.dataset;
    const answer = await fetch("/operator/revoke", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ role, subject }),
    });
    const found = await answer.json();
    if (answer.ok) location.reload();
    else document.getElementById("status").textContent = found.error;
  });
