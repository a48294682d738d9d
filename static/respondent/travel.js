// The browser's Back and Forward between the start, the questions and the review of one page.
//
// An entry of the history holds its number of steps from the start, and nothing else. If questions
// come one at a time, the start adds one entry for each question of the survey at once. So the
// number of entries does not depend on the answers, and no entry names the question on the screen.
// Back leads one question back. No entry is added on the way back: browsers skip entries that a
// page adds without a press, and Back would then leave the survey.
'use strict';

const travel = (() => {
  // Browsers refuse more than a few hundred new entries in a row.
  const MOST = 50;
  // Each section begins at its top.
  history.scrollRestoration = 'manual';
  // The current entry, in steps from the start.
  let at = 0;
  // The entry of the last question.
  let last = 0;
  // The browser is on its way to the start, which takes a moment.
  let going = false;

  function add() {
    at += 1;
    history.pushState({ step: at }, '');
  }

  // From the start to the questions, with an entry for each of them.
  function begin(steps) {
    last = Math.min(steps, MOST);
    while (at < last) add();
  }

  // To the next question. This restores the entry that Back has used.
  function next() {
    if (at < last) add();
  }

  function review() {
    while (at <= last) add();
  }

  // To the start, so that the next Back leaves the page, also after a reload.
  function home() {
    const steps = history.state?.step ?? at;
    if (steps > 0 && !going) {
      going = true;
      history.go(-steps);
    }
  }

  // Calls `arrived` with where Back or Forward led: "start", "review", "questions" or "back".
  function listen(arrived) {
    window.addEventListener('popstate', ({ state }) => {
      const from = at;
      going = false;
      at = state?.step ?? 0;
      if (at === 0) arrived('start');
      else if (at > last) arrived('review');
      else arrived(at < from && from <= last ? 'back' : 'questions');
    });
  }

  return Object.freeze({ begin, home, listen, next, review });
})();
