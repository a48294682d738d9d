// A device that many people use one after the other. Its link to the survey ends in #kiosk.
//
// The page returns to its start after sending, and if nobody touches the device while answers are
// on the screen. Nothing of the last person stays, and the language is that of the link. The page
// asks before it clears answers. It leads nowhere else: "Leave now" clears it, and it has no links
// to other pages.
'use strict';

const kiosk = (() => {
  const IDLE_SECONDS = 60;
  const WARNING_SECONDS = 20;
  const SENT_SECONDS = 30;
  const on = window.location.hash === '#kiosk';
  const asked = document.getElementById('idle');
  let timer = null;
  // The response was sent or refused.
  let over = false;
  // The element that had the focus before the question "Still there?".
  let focused = null;
  let idle = null;

  // Texts that do not fit a shared device are hidden (style.css).
  document.documentElement.toggleAttribute('data-kiosk', on);

  // The text of a link stays. A change of language brings the link back.
  function removeLinks() {
    for (const link of document.querySelectorAll('main a')) link.removeAttribute('href');
  }

  // The language in which the page was opened.
  const language = document.querySelector('[data-language][aria-current]');

  function restoreLanguage() {
    if (language && !language.hasAttribute('aria-current')) language.click();
  }

  function wait() {
    clearTimeout(timer);
    timer = setTimeout(idle, (over ? SENT_SECONDS : IDLE_SECONDS) * 1000);
  }

  // `open` returns whether answers may be on the screen. `reset` returns to the start.
  function watch(open, reset) {
    if (!on) return;
    const clear = () => {
      asked.hidden = true;
      over = false;
      clearTimeout(timer);
      reset();
      restoreLanguage();
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
      // A key on the button "I am still here" must not act on the element focused before.
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
    document.addEventListener('leave', (event) => {
      event.preventDefault();
      clear();
    });
    removeLinks();
    document.addEventListener('translated', removeLinks);
  }

  // Called after sending, or after a refusal.
  function finished() {
    document.getElementById('next-person').hidden = false;
    over = true;
    wait();
  }

  return Object.freeze({ finished, on, watch });
})();
