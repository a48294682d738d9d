// Checks the total privacy loss of a respondent before the first question. randomizer.js checks
// each table. Like that file, this one uses no page, network or storage.
'use strict';

const losses = (() => {
  // The largest rounding error of a sum of logarithms.
  const ROUNDING = 1e-9;
  // With more combinations of arms, this file ignores conditions on the other arms, so that the sum
  // is larger than necessary.
  const MOST_COMBINED = 1000;

  // Throws if the losses of all reports add up to more than the stated loss, or exceed the limits
  // that held when the survey opened. The sum is that of the experimental arms where it is largest.
  // A preview has no limits.
  //
  // `entries` are the questions of the definition, or at least their members `name`, `relevant`,
  // `otherwise` and `derived`. `mixed` lists the name and the loss of each private question. There
  // are `sample` reports on these, or one on each if that is null. `given` lists the same for
  // questions whose answers are sent as given, and which a second statement protects.
  function check(entries, mixed, given, sample, stated, limits) {
    const sum = Math.max(...combinations(entries).map((drawn) => {
      const asked = askedIn(entries, drawn);
      const ofAsked = (pairs) => pairs.filter(([name]) => asked(name)).map(([, loss]) => loss);
      const largest = ofAsked(mixed).sort((a, b) => b - a).slice(0, sample ?? mixed.length);
      return [...largest, ...ofAsked(given)].reduce((all, loss) => all + loss, 0);
    }));
    if (!(sum <= stated + ROUNDING)) throw new RangeError('The losses add up to more.');
    if (limits === undefined) return;
    const { certainty, epsilon } = limits;
    // Someone who starts from even odds becomes at most this sure.
    const one = Math.log(certainty / (100 - certainty));
    const largest = Math.max(0, ...[...mixed, ...given].map(([, loss]) => loss));
    if (!(largest <= one + ROUNDING && sum <= epsilon + ROUNDING)) {
      throw new RangeError('The survey reveals more than its limits allow.');
    }
  }

  // Each combination of the experimental arms that every respondent draws, as a map from the name
  // of the question to its arm. As in survey/definition/survey.py, arms on which a condition
  // depends come first.
  function combinations(entries) {
    const used = new Set(entries.flatMap(({ relevant }) => Object.keys(relevant ?? {})));
    const drawn = entries.filter(({ derived, relevant }) => derived?.random && !relevant);
    const [first, last] = [true, false].map((each) =>
      drawn.filter(({ name }) => used.has(name) === each));
    return [...first, ...last].reduce((found, { name, derived }) => {
      const arms = Object.keys(derived.random);
      if (found.length * arms.length > MOST_COMBINED) return found;
      return found.flatMap((some) => arms.map((arm) => new Map([...some, [name, arm]])));
    }, [new Map()]);
  }

  // A function of a question's name: whether the question can be asked in these arms. This is the
  // rule of survey/definition/relevance.py.
  function askedIn(entries, drawn) {
    const named = new Map(entries.map((entry) => [entry.name, entry]));
    const found = new Map();
    const canMeet = (name, condition) => meetsUnasked(named.get(name).otherwise, condition)
      || (asked(name) && (!drawn.has(name) || condition.includes(drawn.get(name))));
    function asked(name) {
      if (!found.has(name)) {
        const conditions = Object.entries(named.get(name).relevant ?? {});
        found.set(name, conditions.every((each) => canMeet(...each)));
      }
      return found.get(name);
    }
    return asked;
  }

  // Whether the answer of people who are not asked a question meets a condition on it.
  function meetsUnasked(answer, condition) {
    if (answer === undefined) return false;
    if (Array.isArray(condition)) return [answer].flat().some((each) => condition.includes(each));
    const { max = Infinity, min = -Infinity } = condition;
    return min <= answer && answer <= max;
  }

  // The loss of a crosswise question, from the share of people for whom the second statement is
  // true, such as "1/6".
  function ofSecondStatement(share) {
    const [part, whole = 1] = share.split('/').map(Number);
    return Math.abs(Math.log(part / (whole - part)));
  }

  return Object.freeze({ check, ofSecondStatement });
})();
