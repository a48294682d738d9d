// "Leave now": empties the page, forgets what this tab keeps, and goes elsewhere, so that neither
// Back nor a reload leads here with anything on it. Pressing Shift three times does the same.
'use strict';

(() => {
  const link = document.getElementById('leave');
  const WITHIN = 2000; // milliseconds
  let presses = [];

  function leave() {
    document.documentElement.hidden = true;
    document.title = '';
    try {
      Object.keys(sessionStorage).filter((key) => key.startsWith('candor '))
        .forEach((key) => sessionStorage.removeItem(key));
    } catch { /* nothing is kept where storage is blocked */ }
    window.location.replace(link.href); // erases the answers too: see pagehide in respond.js
  }

  link?.addEventListener('click', (event) => {
    event.preventDefault();
    leave();
  });
  document.addEventListener('keydown', ({ key, repeat }) => {
    if (key !== 'Shift') presses = [];
    else if (!repeat) presses = [...presses, Date.now()].filter((at) => at > Date.now() - WITHIN);
    if (link && presses.length === 3) leave();
  });
})();
