// The progress of the fieldwork: asks the server every ten seconds while the tab is visible, and
// updates the page. The count changes silently. Screen readers announce a new batch and the closing
// of the survey. Without this script, the page shows the state at loading.
'use strict';

(() => {
  // Milliseconds between two requests
  const EVERY = 10_000;
  const monitor = document.getElementById('monitor');
  const spoken = document.getElementById('monitor-spoken');
  const { address, released, closed, lost } = monitor.dataset;
  let before = { state: 'open', released: Number(monitor.dataset.shown) };
  let timer = null;

  function show({ people, aim, texts }) {
    for (const place of document.querySelectorAll('[data-text]')) {
      const text = texts[place.dataset.text];
      if (text === undefined) continue; // Unchanged
      if (place.textContent !== text) place.textContent = text;
      if (place.hasAttribute('data-optional')) place.hidden = text === '';
    }
    const bar = document.getElementById('monitor-bar');
    if (bar && aim) {
      bar.max = aim;
      bar.value = Math.min(people, aim);
    }
  }

  function say(text) {
    spoken.textContent = text;
  }

  async function look() {
    try {
      const reply = await fetch(`${address}?shown=${before.released}`, { cache: 'no-store' });
      // A redirect leads to the sign-in page: the session has ended
      if (reply.redirected || !reply.ok) throw new Error('no figures');
      const now = await reply.json();
      show(now);
      const isNew = now.released !== before.released;
      if (isNew) monitor.dispatchEvent(new Event('published')); // For the page of a class
      if (now.state !== 'open') {
        say(closed);
        return; // A closed survey does not change
      }
      if (isNew) say(released);
      else if (spoken.textContent === lost) say('');
      before = now;
    } catch {
      if (spoken.textContent !== lost) say(lost);
    }
    wait();
  }

  function wait() {
    clearTimeout(timer);
    if (document.visibilityState === 'visible') timer = setTimeout(look, EVERY);
  }

  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (document.visibilityState === 'visible') look();
  });
  wait();
})();
