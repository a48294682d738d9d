// What all reports of one respondent may tell together, checked before anything is asked. Pure, as
// randomizer.js is, which checks each table by itself.
'use strict';

const losses = (() => {
  const ROUNDING = 1e-9; // what sums of logarithms may be off by

  // Throws unless the losses of all that is reported (of `sample` questions, or of all if that is
  // null) add up to no more than is stated, and are within the limits under which the survey was
  // opened. A document from before there were limits states none
  function check(each, sample, stated, limits) {
    const reported = [...each].sort((a, b) => b - a).slice(0, sample ?? each.length);
    const sum = reported.reduce((all, loss) => all + loss, 0);
    if (!(sum <= stated + ROUNDING)) throw new RangeError('The losses add up to more.');
    if (limits === undefined) return;
    const { certainty, epsilon } = limits;
    const one = Math.log(certainty / (100 - certainty)); // even odds become these odds
    if (!(Math.max(0, ...reported) <= one + ROUNDING && sum <= epsilon + ROUNDING)) {
      throw new RangeError('The survey reveals more than its limits allow.');
    }
  }

  return Object.freeze({ check });
})();
