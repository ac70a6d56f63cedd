"use strict";
/** `arena.patch(element, fresh)` makes the content of an element that of another one, and changes what differs. */
(() => {
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

  arena.patch = patch;
})();
