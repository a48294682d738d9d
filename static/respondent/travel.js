// The browser's Back and Forward between the start, the questions and the review of one page.
//
// An entry of the history says how many steps it is from the start, and nothing else. Where
// questions come one at a time there are as many entries as the survey has questions, made at once
// at the press that starts them: which question is on the screen is noted nowhere, and there are as
// many whatever is answered. Back then leads one question back. No entry is added on the way back:
// browsers skip those that a page adds unasked, and Back would lead out of the survey.
'use strict';

const travel = (() => {
  const MOST = 50; // browsers take no more than a few hundred in a row
  history.scrollRestoration = 'manual'; // each section begins at its top
  let at = 0; // steps from the start
  let last = 0; // the last step of the questions
  let going = false; // on the way to the start, which takes a moment

  function add() {
    at += 1;
    history.pushState({ step: at }, '');
  }

  // From the start to the questions, so many steps from here
  function begin(steps) {
    last = Math.min(steps, MOST);
    while (at < last) add();
  }

  // To the next question: what Back has used up is there again
  function next() {
    if (at < last) add();
  }

  function review() {
    while (at <= last) add();
  }

  // To the start, so that the next Back leads away; after a reload too
  function home() {
    const steps = history.state?.step ?? at;
    if (steps > 0 && !going) {
      going = true;
      history.go(-steps);
    }
  }

  // Tells where Back or Forward led: "start", "review", "questions", or one question "back"
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
