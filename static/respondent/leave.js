// "Leave now", or three presses of Shift: empties the page, deletes what this tab stores, and opens
// another site. Back and Forward then show an empty page at most. While the page is hidden, it is
// blank, because the app switcher of a phone shows a picture of it.
'use strict';

(() => {
  const link = document.getElementById('leave');
  // The time for three presses, in milliseconds.
  const WITHIN = 2000;
  // The longest wait for the history, in milliseconds.
  const TRAVEL = 500;
  // The address of the entries that stay: an empty page, which names no survey.
  const NEUTRAL = '/blank';
  let presses = [];

  function change(how, state) {
    try { history[how](state, '', NEUTRAL); } catch { /* Browsers refuse frequent changes. */ }
  }

  // Until the other site answers, an empty page with a neutral address stays.
  function open() {
    change('replaceState', null);
    window.location.replace(link.href);
  }

  // A survey can have two entries in the history (travel.js). The other site replaces the first.
  // The second cannot be removed, and Forward leads to it, so it gets the neutral address.
  function unwind() {
    if (history.state?.step === 0) change('pushState', { step: 1 });
    if (history.state?.step !== 1) {
      open();
      return;
    }
    const late = setTimeout(open, TRAVEL);
    window.addEventListener('popstate', () => {
      clearTimeout(late);
      open();
    }, { once: true });
    history.back();
  }

  // The other scripts erase the answers. A kiosk only returns to its start (kiosk.js).
  function leave() {
    if (!document.dispatchEvent(new Event('leave', { cancelable: true }))) return;
    // From now on, the page does not travel (travel.js).
    document.documentElement.hidden = true;
    // First, or the history would list the survey's address with an empty title.
    change('replaceState', history.state);
    document.title = '';
    // A browser may keep the page for Forward. The other scripts need its elements until then, and
    // their listeners were added before this one.
    window.addEventListener('pagehide', () => { document.body.textContent = ''; });
    try {
      Object.keys(sessionStorage).filter((key) => key.startsWith('candor '))
        .forEach((key) => sessionStorage.removeItem(key));
    } catch { /* If storage is blocked, nothing is stored. */ }
    unwind();
  }

  link?.addEventListener('click', (event) => {
    event.preventDefault();
    leave();
  });
  document.addEventListener('keydown', ({ key, repeat }) => {
    if (key !== 'Shift') presses = [];
    else if (!repeat) presses = [...presses, Date.now()].filter((at) => at > Date.now() - WITHIN);
    if (link && presses.length === 3) {
      presses = [];
      leave();
    }
  });

  const cover = () => document.documentElement.toggleAttribute('data-away', document.hidden);
  document.addEventListener('visibilitychange', cover);
  window.addEventListener('pageshow', cover);
})();
