// Derived answers: what the page calculates from other answers before anything is mixed up.
//
// survey/definition/derived_answers.py says what each operation means. Points and weights are whole
// numbers, so sums are exact. If someone preferred not to say an answer on which the result
// depends, the result is "prefer not to say", except in a joint question. An experimental arm is
// drawn and not calculated, so it is not here. This file uses no page, no network and no storage.
'use strict';

const derived = (() => {
  const [DECLINED, NOT_ASKED] = ['prefer_not_to_say', 'not_asked'];
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const operationOf = (rule) => ['sum', 'mean', 'count', 'any', 'all', 'recode']
    .find((name) => rule[name] !== undefined);

  // The names of the questions that a rule uses.
  function sources(rule) {
    if (rule.joint !== undefined) return rule.joint;
    const operation = operationOf(rule);
    if (operation === undefined) return [];
    return operation === 'recode' ? Object.values(rule.recode).flatMap(Object.keys)
      : Object.keys(rule[operation]);
  }

  // The lowest and highest points of a question; they differ only if the answer was declined. A
  // question that was not asked has no points, or those of the answer that the designer set.
  function pointsBetween(points, question, asked) {
    const answer = asked(question) ? question.answer : question.otherwise;
    const weight = typeof points === 'number';
    if (!asked(question) || !question.declined) {
      const worth = weight ? points * (answer ?? 0)
        : sum([answer ?? []].flat().map((name) => points[name]));
      return [worth, worth];
    }
    const ends = weight ? [points * question.min, points * question.max] : Object.values(points);
    return question.several
      ? [sum(ends.filter((end) => end < 0)), sum(ends.filter((end) => end > 0))]
      : [Math.min(...ends), Math.max(...ends)];
  }

  // Whether a condition holds; null if the answer was declined.
  function holds(question, condition, asked) {
    if (!asked(question)) return false;
    if (!question.declined) return question.meets(condition);
    return Array.isArray(condition) && condition.includes(DECLINED) ? true : null;
  }

  const verdicts = (conditions, named, asked) => Object.entries(conditions)
    .map(([name, condition]) => holds(named.get(name), condition, asked));

  // The lowest and highest value of a sum, a mean or a number of conditions. A mean is of the
  // questions that have points. Everyone who has the result has one of these.
  function between(rule, named, asked) {
    const operation = operationOf(rule);
    if (operation === 'sum' || operation === 'mean') {
      const entries = Object.entries(rule[operation]);
      const ends = entries.map(([name, points]) => pointsBetween(points, named.get(name), asked));
      const counted = entries.map(([name]) => named.get(name))
        .filter((question) => asked(question) || question.otherwise !== undefined);
      const divisor = operation === 'mean' ? Math.max(1, counted.length) : 1;
      return [0, 1].map((end) => sum(ends.map((each) => each[end])) / divisor);
    }
    const found = verdicts(rule[operation], named, asked);
    return [found.filter(Boolean).length, found.filter((each) => each !== false).length];
  }

  // The answer to which a value belongs: a name, or the number itself.
  function outcome(rule, value) {
    const operation = operationOf(rule);
    const least = { any: 1, all: Object.keys(rule[operation]).length }[operation] ?? rule.at_least;
    if (least !== undefined) return value >= least ? 'yes' : 'no';
    if (rule.bands === undefined) return value;
    const bands = Object.entries(rule.bands).sort(([, one], [, other]) => one - other);
    return (bands.filter(([, bound]) => bound <= value).pop() ?? bands[0])[0];
  }

  // The first answer whose conditions all hold; null if that depends on a declined answer. The
  // members of an object may have any order, so `names` has the order of the answers.
  function recoded(conditions, names, named, asked) {
    for (const name of names) {
      const found = verdicts(conditions[name] ?? {}, named, asked);
      if (found.every((each) => each === true)) return name;
      if (found.every((each) => each !== false)) return null;
    }
    return null;
  }

  // The answers together. Each of them can be "prefer not to say" or "not asked".
  function joined(names, named, asked) {
    const each = names.map((name) => named.get(name)).map((question) => {
      if (!asked(question)) return question.otherwise ?? NOT_ASKED;
      return question.declined ? DECLINED : question.answer;
    });
    return each.join('+');
  }

  // All combinations that `joined` can give. Whether conditions on other questions hold is unknown,
  // so both cases are possible. The same conditions hold for all of these questions or for none.
  function combinations(names, named) {
    let cases = [{ given: [], held: {} }];
    for (const question of names.map((name) => named.get(name))) {
      const conditions = Object.entries(question.relevant ?? {}).sort();
      const outside = JSON.stringify(conditions.filter(([name]) => !names.includes(name)));
      cases = cases.flatMap(({ given, held }) => {
        const met = conditions.every(([name, condition]) => !names.includes(name)
          || given.some((each) => each.name === name && condition.includes(each.answer)));
        const unknown = outside !== '[]' && held[outside] === undefined;
        return (unknown ? [true, false] : [held[outside] ?? true]).flatMap((holds) => {
          const asked = met && holds;
          const hidden = question.otherwise ?? NOT_ASKED;
          return (asked ? question.names : [hidden]).map((name) => ({
            // Nobody meets a condition on a question that is not asked.
            given: [...given, { name: question.name, answer: asked ? name : null, part: name }],
            held: { ...held, [outside]: holds },
          }));
        });
      });
    }
    return new Set(cases.map(({ given }) => given.map(({ part }) => part).join('+')));
  }

  // The derived answer: the name of a choice, or a number; null for "prefer not to say".
  function answer({ derived: rule, names }, named, asked) {
    if (rule.joint !== undefined) return joined(rule.joint, named, asked);
    if (rule.recode !== undefined) return recoded(rule.recode, names, named, asked);
    const [low, high] = between(rule, named, asked).map((value) => outcome(rule, value));
    return low === high ? low : null;
  }

  return Object.freeze({ answer, combinations, sources });
})();
