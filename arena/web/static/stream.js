"use strict";
/**
 * Events of the server: `arena.stream(url, handlers)` calls `handlers.NAME` with the data and the id of each event of
 * this name, and `handlers.connected` with true or false. Browsers allow few connections to one server, so a page
 * that is not seen has none. The first events of a new connection bring the page up to date.
 */
(() => {
  const RETRY_MS = 3000; // after an answer that is no stream, as of a proxy while the server starts again

  arena.stream = (url, { connected = () => {}, ...handlers }) => {
    let source = null;

    function open() {
      if (source || document.hidden) return;
      const opened = (source = new EventSource(url));
      source.addEventListener("open", () => connected(true));
      source.addEventListener("error", () => {
        connected(false);
        if (opened !== source || opened.readyState !== EventSource.CLOSED) return; // the browser tries again
        source = null;
        setTimeout(open, RETRY_MS);
      });
      for (const [name, handle] of Object.entries(handlers))
        source.addEventListener(name, ({ data, lastEventId }) => handle(data, lastEventId));
    }

    function close() {
      source?.close();
      source = null;
    }

    document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
    addEventListener("pagehide", close);
    addEventListener("pageshow", open);
    open();
  };
})();
