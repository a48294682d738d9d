// "Leave now", or three presses of Shift: empties the page, deletes what this tab stores, and opens
// another site. Neither Back nor a reload then shows an answer.
'use strict';

(() => {
  const link = document.getElementById('leave');
  // The time for three presses, in milliseconds.
  const WITHIN = 2000;
  let presses = [];

  function leave() {
    document.documentElement.hidden = true;
    document.title = '';
    try {
      Object.keys(sessionStorage).filter((key) => key.startsWith('candor '))
        .forEach((key) => sessionStorage.removeItem(key));
    } catch { /* If storage is blocked, nothing is stored. */ }
    // This erases the answers too: see pagehide in respond.js.
    window.location.replace(link.href);
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
