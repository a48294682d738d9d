// One press that sets up an experiment: a private yes/no question is also asked directly, and by a
// list with and without its statement. Chance decides which version a respondent gets.
'use strict';

const builderWays = (() => {
  const { addArmed, all, field, ways } = builderQuestions;
  // The names of the arms, in the order of their labels (survey/definition/choices.py).
  const ARMS = ['randomised', 'direct', 'list', 'list_with'];
  const [MIN_STATEMENTS, MAX_STATEMENTS] = [3, 10];
  const lines = (text) => text.split('\n').map((line) => line.trim()).filter(Boolean);
  const nameOf = (question) => field(question, 'name').value.trim();

  // A name that no question has: arm, arm_2, ...
  function free(name) {
    const taken = all().map(nameOf);
    const short = name.slice(0, 60);
    const named = (number) => (number === 1 ? short : `${short}_${number}`);
    let number = 1;
    while (taken.includes(named(number))) number += 1;
    return named(number);
  }

  // The arm of an earlier comparison, which a second question can use.
  function knownArm(before) {
    return before.find((each) => field(each, 'derived').value === 'random'
      && lines(field(each, 'arms').value).map((line) => line.split(':')[0].trim())
        .join() === ARMS.join());
  }

  // An element with its error message, and whether there is one
  function complain(input, text) {
    const error = document.getElementById(`${input.id}-error`);
    error.textContent = text;
    // faults.js marks the message of a field that was changed.
    error.classList.remove('changed');
    input.setAttribute('aria-describedby', `${input.id}-hint ${error.id}`);
    error.hidden = !text;
    if (text) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
    if (text) input.focus();
    return Boolean(text);
  }

  // Why the direct question and the lists would reveal an answer, or an empty text
  function revealing(question) {
    const names = lines(field(question, 'relevant').value).map((line) => line.split(':')[0].trim());
    const parent = all().find((each) => (
      names.includes(nameOf(each)) && field(each, 'privacy').value !== 'none'
      && field(each, 'derived').value !== 'random'));
    return parent ? translate('This question depends on “%(name)s”, which is private. The direct '
      + 'question would reveal that answer. Remove the condition first.', { name: nameOf(parent) })
      : '';
  }

  function statementsFault(statements) {
    if (statements.length < MIN_STATEMENTS || statements.length > MAX_STATEMENTS) {
      return translate('Type %(least)s to %(most)s statements, one per line.', {
        least: MIN_STATEMENTS, most: MAX_STATEMENTS,
      });
    }
    return new Set(statements).size < statements.length
      ? translate('A statement is there twice. Type different ones.') : '';
  }

  // In one line, because the text of a question has no line breaks
  const numbered = (statements) => statements.map((each, at) => `(${at + 1}) ${each}`).join(' ');

  // The other versions of a question, or null with an error message
  function add(question, name) {
    const [sensitive, others] = question.querySelectorAll('[data-ways] textarea');
    const statement = lines(sensitive.value).join(' ');
    const statements = lines(others.value);
    const before = all().slice(0, all().indexOf(question));
    const known = knownArm(before);
    const relevant = field(question, 'relevant').value.trim();
    const again = known && lines(relevant).some((line) => line.startsWith(`${nameOf(known)}:`));
    const fault = again ? translate('This question already has its other versions.')
      : revealing(question) || (statement ? '' : translate('Type the statement.'));
    if (complain(sensitive, fault)) return;
    const repeated = statements.includes(statement)
      ? translate('The sensitive statement is among them. Delete it here.') : '';
    if (complain(others, statementsFault(statements) || repeated)) return;
    const words = ways[question.closest('form').elements.language.value];
    const arm = known ? nameOf(known) : free('arm');
    const condition = (place) => [relevant, `${arm}: ${ARMS[place]}`].filter(Boolean).join('\n');
    const middle = Math.ceil(statements.length / 2);
    const longer = [...statements.slice(0, middle), statement, ...statements.slice(middle)];
    const declines = field(question, 'prefer_not_to_say').checked;
    const list = (place, listed) => ({
      type: 'number', label: `${words.list} ${numbered(listed)}`,
      name: free(`${name}_${ARMS[place]}`), min: '0', max: String(listed.length), step: '1',
      privacy: 'none', prefer_not_to_say: declines, relevant: condition(place),
    });
    addArmed(question, {
      arm: known ? null : {
        type: 'select_one', label: words.arm, name: arm, privacy: 'none', derived: 'random',
        choices: ARMS.map((code, place) => `${code} | ${words.versions[place]}`).join('\n'),
        arms: ARMS.map((code) => `${code}: 1`).join('\n'), prefer_not_to_say: false,
      },
      relevant: condition(0),
      direct: {
        name: free(`${name}_direct`), privacy: 'none', otherwise: '', relevant: condition(1),
      },
      lists: [list(2, statements), list(3, longer)],
    });
  }

  return Object.freeze({ add });
})();
