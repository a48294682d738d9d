// A device that many people use one after the other: the survey's link with #kiosk at its end.
//
// After sending, and when nobody touches it while answers are on the screen, the page goes back to
// its start with nothing left of whoever sat there. Before it clears answers it asks.
'use strict';

const kiosk = (() => {
  const IDLE_SECONDS = 60;
  const WARNING_SECONDS = 20;
  const SENT_SECONDS = 30;
  const on = window.location.hash === '#kiosk';
  const asked = document.getElementById('idle');
  let timer = null;
  let over = false; // it was sent, or refused
  let focused = null; // before it was asked
  let idle = null;

  function wait() {
    clearTimeout(timer);
    timer = setTimeout(idle, (over ? SENT_SECONDS : IDLE_SECONDS) * 1000);
  }

  // `open` says whether answers may be on the screen, `reset` goes back to the start
  function watch(open, reset) {
    if (!on) return;
    const clear = () => {
      asked.hidden = true;
      over = false;
      clearTimeout(timer);
      reset();
    };
    idle = () => {
      if (over) {
        clear();
      } else if (open()) {
        focused = document.activeElement;
        asked.hidden = false;
        document.getElementById('stay').focus();
        timer = setTimeout(clear, WARNING_SECONDS * 1000);
      }
    };
    const touched = ({ target, type }) => {
      // a key on its button must not reach what had the focus before
      if (asked.contains(target) && type !== 'click') return;
      const back = !asked.hidden;
      asked.hidden = true;
      if (back && type !== 'pointerdown') focused.focus();
      wait();
    };
    for (const kind of ['input', 'keydown', 'pointerdown', 'click']) {
      document.addEventListener(kind, touched);
    }
    document.getElementById('anew').addEventListener('click', clear);
    const understood = document.getElementById('understood');
    if (understood) understood.hidden = true; // no way leads back from there
  }

  // After sending, or after a refusal
  function finished() {
    document.getElementById('next-person').hidden = false;
    over = true;
    wait();
  }

  return Object.freeze({ finished, on, watch });
})();
