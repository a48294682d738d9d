// The browser's Back and Forward between the start, the questions and the review of one page.
//
// When the questions begin, the page adds one entry to the history, whatever is answered. So the
// history does not show how many questions there are or which one is on the screen, and the survey
// is not listed once for each of them. To lead one question back, the page returns to this entry
// at once. No entry is added then: browsers skip entries that a page adds without a press, and Back
// would then leave the survey. "Leave now" reads the numbers of the entries (leave.js).
'use strict';

const travel = (() => {
  // Each section begins at its top.
  history.scrollRestoration = 'manual';
  // The page is on its way between its two entries, which takes a moment.
  let going = false;
  const inside = () => history.state?.step === 1;

  function go(steps) {
    if (going) return;
    going = true;
    history.go(steps);
  }

  // From the start to the questions.
  function begin() {
    if (inside()) return;
    history.replaceState({ step: 0 }, '');
    history.pushState({ step: 1 }, '');
  }

  // To the start, so that the next Back leaves the page, also after a reload.
  function home() {
    if (inside()) go(-1);
  }

  // To the questions again, after Back has led to the start.
  function stay() {
    go(1);
  }

  // Calls `arrived` after Back or Forward, with whether the questions are there.
  function listen(arrived) {
    window.addEventListener('popstate', () => {
      // "Leave now" hides the page, and is on its own way through the history.
      if (document.documentElement.hidden) return;
      const own = going;
      going = false;
      if (!own) arrived(inside());
    });
  }

  return Object.freeze({ begin, home, listen, stay });
})();
