"use strict";
/** The page of a run: each event brings the new HTML of a part of the page. */
(() => {
  const part = (name) => document.querySelector(`[data-part=${name}]`);

  arena.stream(`${location.pathname.replace(/\/$/, "")}/events`, {
    part: (data) => {
      const { name, html } = JSON.parse(data);
      const fresh = document.createElement("template");
      fresh.innerHTML = html; // made by a template of the server, which escapes all names
      patch(part(name), fresh.content);
    },
    connected: (yes) => (document.querySelector(".offline").hidden = yes),
  });

  /** Change what differs. What stays keeps its focus and its scroll position; a detail stays open. */
  function patch(old, fresh) {
    const [before, after] = [[...old.childNodes], [...fresh.childNodes]];
    after.forEach((node, index) => {
      const known = before[index];
      if (!known) old.append(node);
      else if (known.nodeName !== node.nodeName) known.replaceWith(node);
      else if (known.nodeType === Node.TEXT_NODE) known.data = node.data;
      else if (known.nodeType === Node.ELEMENT_NODE) patchElement(known, node);
    });
    for (const node of before.slice(after.length)) node.remove();
  }

  function patchElement(old, fresh) {
    const kept = (name) => name === "open";
    for (const name of old.getAttributeNames())
      if (!fresh.hasAttribute(name) && !kept(name)) old.removeAttribute(name);
    for (const name of fresh.getAttributeNames())
      if (old.getAttribute(name) !== fresh.getAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
    patch(old, fresh);
  }
})();
