// Checks the total privacy loss of a respondent before the first question. randomizer.js checks
// each table. Like that file, this one uses no page, network or storage.
'use strict';

const losses = (() => {
  // The largest rounding error of a sum of logarithms.
  const ROUNDING = 1e-9;

  // Throws if the losses of all reports add up to more than the stated loss, or exceed the limits
  // that held when the survey opened. There are `sample` reports, or one for each question if that
  // is null. Older documents have no limits. `given` has the losses of the answers that are sent as
  // given, and that a second statement hides.
  function check(each, sample, stated, limits, given = []) {
    const mixed = [...each].sort((a, b) => b - a).slice(0, sample ?? each.length);
    const reported = [...mixed, ...given];
    const sum = reported.reduce((all, loss) => all + loss, 0);
    if (!(sum <= stated + ROUNDING)) throw new RangeError('The losses add up to more.');
    if (limits === undefined) return;
    const { certainty, epsilon } = limits;
    // Someone who starts from even odds becomes at most this sure.
    const one = Math.log(certainty / (100 - certainty));
    if (!(Math.max(0, ...reported) <= one + ROUNDING && sum <= epsilon + ROUNDING)) {
      throw new RangeError('The survey reveals more than its limits allow.');
    }
  }

  // The loss of a crosswise question, from the share of people for whom the second statement is
  // true, such as "1/6".
  function ofSecondStatement(share) {
    const [part, whole = 1] = share.split('/').map(Number);
    return Math.abs(Math.log(part / (whole - part)));
  }

  return Object.freeze({ check, ofSecondStatement });
})();
