// The fieldwork as it goes: asks the server every ten seconds while the tab is looked at, and puts
// what it says in place. The count changes silently; a screen reader is told of a release and of
// the end. Without this script, the page shows how things were when it was loaded.
'use strict';

(() => {
  const EVERY = 10_000; // milliseconds
  const monitor = document.getElementById('monitor');
  const spoken = document.getElementById('monitor-spoken');
  const { address, released, closed, lost } = monitor.dataset;
  let before = { state: 'open', released: Number(monitor.dataset.shown) };
  let timer = null;

  function show({ people, aim, texts }) {
    for (const place of document.querySelectorAll('[data-text]')) {
      const text = texts[place.dataset.text];
      if (text === undefined) continue; // as it was
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
      // who is signed out is led to the sign-in page
      if (reply.redirected || !reply.ok) throw new Error('no figures');
      const now = await reply.json();
      show(now);
      if (now.state !== 'open') {
        say(closed);
        return; // there is nothing more to ask for
      }
      if (now.released !== before.released) say(released);
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
