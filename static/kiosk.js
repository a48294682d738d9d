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

  // `open` says whether answers may be on the screen, `reset` goes back to the start
  function watch(open, reset) {
    if (!on) return;
    const clear = () => {
      asked.hidden = true;
      reset();
    };
    const warn = () => {
      if (!open()) return;
      asked.hidden = false;
      timer = setTimeout(clear, WARNING_SECONDS * 1000);
    };
    const touched = () => {
      asked.hidden = true;
      clearTimeout(timer);
      timer = setTimeout(warn, IDLE_SECONDS * 1000);
    };
    for (const kind of ['input', 'keydown', 'pointerdown']) {
      document.addEventListener(kind, touched);
    }
    document.getElementById('anew').addEventListener('click', clear);
    document.getElementById('understood')?.remove(); // no way leads back from there
  }

  // After sending
  function finished(reset) {
    document.getElementById('next-person').hidden = false;
    clearTimeout(timer);
    timer = setTimeout(reset, SENT_SECONDS * 1000);
  }

  return Object.freeze({ finished, on, watch });
})();
