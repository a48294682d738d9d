// The builder's questions: made from a template and data on the page, added, moved, copied and
// deleted. Each change is announced, and Undo takes back each change of the form, typing included.
// A deleted question keeps its texts, so that Undo restores them.
'use strict';

const builderQuestions = (() => {
  const list = document.getElementById('list');
  const blank = document.getElementById('blank');
  const said = document.getElementById('said');
  const form = list.closest('form');
  const { element } = builderConditions;
  const scripted = JSON.parse(document.getElementById('scripted').textContent);
  const { instruments, languages, other, outlook, questions, types, ways } = scripted;
  const NAMED = ['id', 'name', 'for', 'aria-describedby', 'aria-labelledby'];
  // With more questions than this, all are folded at first.
  const MAX_UNFOLDED = 5;
  // The changes that Undo takes back, and those that Redo makes again. Each has a name (`text`),
  // the order of the questions, and the values of the changed fields.
  const past = [];
  const future = [];

  const all = () => [...list.children];
  const field = (question, name) => question.querySelector(`[name$="-${name}"]`);
  const summary = (question) => question.querySelector('summary');

  function label(button, text) {
    if (button.getAttribute('aria-label') !== text) button.setAttribute('aria-label', text);
  }

  function place(question, index, total) {
    const named = question.querySelectorAll('[id], [name], [for]');
    for (const element of [question, ...named]) {
      for (const name of NAMED) {
        const value = element.getAttribute(name);
        const there = value?.replace(/questions-\d+/g, `questions-${index}`)
          .replace(/question-\d+/g, `question-${index + 1}`);
        if (value !== null && there !== value) element.setAttribute(name, there);
      }
    }
    const up = question.querySelector('[data-do="up"]');
    const down = question.querySelector('[data-do="down"]');
    up.disabled = index === 0;
    down.disabled = index === total - 1;
    const number = index + 1;
    label(up, translate('Move question %(number)s up', { number }));
    label(down, translate('Move question %(number)s down', { number }));
    label(question.querySelector('[data-drag]'), translate(
      'Drag question %(number)s, or press the arrow keys to move it', { number }));
    question.querySelector('[data-number]').textContent = index + 1;
  }

  // The name of a field without its question's number
  const own = ({ name }) => name.replace(/^questions-\d+-/, '');

  // The values of a question's fields
  function typed(question) {
    return Object.fromEntries([...question.querySelectorAll('[name]')].map((element) => (
      [own(element), element.type === 'checkbox' ? element.checked : element.value])));
  }

  // A question with these values. They are the default values of its fields, as if the server had
  // sent them, so that drafts.js can detect changes.
  // Without a level of the whole survey, a new question has a protection of its own.
  function made(given) {
    const values = form.elements.level.value ? given : { privacy: 'medium', ...given };
    const question = document.importNode(blank.content, true).querySelector('.question');
    for (const element of question.querySelectorAll('[name]')) {
      const value = values[own(element)];
      if (value === undefined) continue;
      if (element.type === 'checkbox') element.defaultChecked = value;
      else if (element.options) {
        for (const option of element.options) option.defaultSelected = option.value === value;
      } else element.defaultValue = value.replace(/\r\n/g, '\n');
    }
    question.querySelector('[data-asked]').open = Boolean(
      values.relevant || values.otherwise || values.choice_conditions);
    return question;
  }

  function buttons() {
    const [undo, redo] = ['[data-undo]', '[data-redo]'].map((each) => form.querySelector(each));
    const [before, after] = [past, future].map((steps) => steps.at(-1)?.text ?? '');
    undo.disabled = !before;
    // The button is short to read. Its name for screen readers and its title say what it undoes.
    const full = before ? translate('Undo: %(change)s', { change: before }) : translate('Undo');
    undo.replaceChildren(
      element('span', { ariaHidden: 'true', textContent: translate('Undo') }),
      element('span', { className: 'unseen', textContent: full }),
    );
    undo.title = before;
    redo.disabled = !after;
    redo.title = after;
  }

  function arrange() {
    const questions = all();
    questions.forEach((question, index) => place(question, index, questions.length));
    buttons();
    index();
    form.dispatchEvent(new CustomEvent('rearranged'));
    form.dispatchEvent(new Event('input', { bubbles: true }));
  }

  // The list of links to all questions
  function index() {
    const entries = all().map((question) => element('li', {}, element('a', {
      href: `#${question.id}`, textContent: question.querySelector('[data-label]').textContent,
    })));
    document.querySelector('#jump ol').replaceChildren(...entries);
  }

  function say(text) {
    said.textContent = text;
    said.hidden = false;
  }

  // Hide a message that is no longer true
  function unsay(text) {
    if (said.textContent === text) said.hidden = true;
  }

  // Open all folds around an element
  function unfold(at) {
    for (let around = at.closest('details'); around;
      around = around.parentElement.closest('details')) around.open = true;
  }

  // Unfold a question or a field, and focus it
  function open(target) {
    const at = target.matches('.question') ? summary(target) : target;
    unfold(at);
    at.focus();
  }

  // Set the usual goal of this type of question
  function usualGoal(question) {
    field(question, 'goal').value = types[field(question, 'type').value].goal || 'shares';
  }

  // Whether a part of the form, or a protection, fits the question's type
  // (survey/definition/types/)
  function has(question, part) {
    return types[field(question, 'type').value].parts.includes(part);
  }

  const value = (input) => (input.type === 'checkbox' ? input.checked : input.value);

  function put(input, content) {
    if (input.type === 'checkbox') input.checked = content;
    else input.value = content;
  }

  // The order of the questions and the content of each field
  function state() {
    const inputs = [...form.elements].filter(({ name, type }) => (
      name && type !== 'hidden' && type !== 'submit'));
    return { order: all(), values: new Map(inputs.map((input) => [input, value(input)])) };
  }

  // What the step needs to return to `before`
  function difference(before, now) {
    const values = [...before.values].filter(([input, content]) => (
      now.values.has(input) && now.values.get(input) !== content));
    return { order: before.order, values: new Map(values) };
  }

  const isSame = (one, other) => (
    one.length === other.length && one.every((question, at) => question === other[at]));

  // The name of a field in the button
  function called(input) {
    // Without the note in parentheses that the field is optional
    const text = input.labels?.[0]?.textContent.trim() ?? '';
    const name = text.replace(/\s*[(（][^()（）]*[)）]$/, '');
    const number = all().indexOf(input.closest('.question')) + 1;
    return number ? translate('“%(label)s” in question %(number)s', { label: name, number })
      : translate('“%(label)s”', { label: name });
  }

  let last = null; // The state after the last step
  let naming = ''; // The name of the change that is under way
  let stepping = false;
  let announced = '';
  let typing = null; // The field whose keystrokes are one step

  function record({ target }) {
    if (stepping || !last) return;
    const now = state();
    const step = difference(last, now);
    last = now;
    if (!step.values.size && isSame(step.order, now.order)) return;
    future.length = 0;
    if (typing && typing === target) {
      const { values } = past.at(-1);
      for (const [input, content] of step.values) {
        if (!values.has(input)) values.set(input, content);
      }
      // The field has its old content again, for example after the browser's own undo
      if ([...values].every(([input, content]) => value(input) === content)) {
        past.pop();
        typing = null;
      }
    } else {
      const [first] = step.values.keys();
      const at = target.name ? target : first;
      past.push({ text: naming || called(at), at, ...step });
      typing = naming || target.type === 'checkbox' ? null : target;
      if (!naming) unsay(announced);
    }
    buttons();
  }

  // Show a message until the next change
  function announce(text) {
    announced = text;
    say(text);
  }

  function change(text, name, how) {
    naming = name;
    how();
    arrange();
    naming = '';
    announce(text);
  }

  const DO = {
    add() {
      const question = made({ type: form.elements.kind.value });
      usualGoal(question);
      const number = all().length + 1;
      change(translate('Question %(number)s added.', { number }),
        translate('question %(number)s added', { number }), () => list.append(question));
      open(field(question, 'label'));
    },
    up(question, number) {
      // Move the other question, so that this one keeps the focus
      change(translate('Moved up: question %(number)s is question %(place)s now.', {
        number, place: number - 1,
      }), translate('question %(number)s moved up', { number }), () => (
        question.after(question.previousElementSibling)));
    },
    down(question, number) {
      change(translate('Moved down: question %(number)s is question %(place)s now.', {
        number, place: number + 1,
      }), translate('question %(number)s moved down', { number }), () => (
        question.before(question.nextElementSibling)));
    },
    copy(question, number) {
      const copy = made({ ...typed(question), name: '', was: '' });
      change(translate('Question %(place)s is a copy of question %(number)s.', {
        number, place: number + 1,
      }), translate('copy of question %(number)s', { number }), () => question.after(copy));
      open(field(copy, 'label'));
    },
    remove(question, number) {
      const next = question.nextElementSibling ?? question.previousElementSibling;
      change(translate('Question %(number)s deleted.', { number }),
        translate('question %(number)s deleted', { number }), () => question.remove());
      (next ? summary(next) : form.elements.kind).focus();
    },
  };

  // Moves a question to a place in the list.
  function move(question, to) {
    const from = all().indexOf(question);
    if (to === from) return;
    const others = all().filter((each) => each !== question);
    const number = from + 1;
    change(translate('Moved: question %(number)s is question %(place)s now.', {
      number, place: to + 1,
    }), translate('question %(number)s moved', { number }), () => (
      to ? others[to - 1].after(question) : others[0].before(question)));
  }

  // Whether a question of the form is private
  function anyPrivate() {
    return all().some((each) => has(each, 'protected')
      && !['none', 'not_sent'].includes(field(each, 'privacy').value));
  }

  // Adds the choice “Other” to a question, and a text question after it. Next to private questions,
  // the text is for everyone: otherwise, it would show which response its writer sent.
  function addOther(question, name) {
    const number = all().indexOf(question) + 1;
    const [otherLabel, specify, ifOther] = other[form.elements.language.value];
    const choices = field(question, 'choices');
    const codes = builderConditions.choices(question, field);
    const [code] = codes.find(([each, shown]) => each === 'other' || shown === otherLabel)
      ?? ['other'];
    const text = made(anyPrivate() ? { type: 'text', label: ifOther }
      : { type: 'text', label: specify, relevant: `${name}: ${code}` });
    const shown = { place: number + 1, label: otherLabel };
    change(anyPrivate() ? translate('Question %(place)s asks about “%(label)s”.', shown)
      : translate('Question %(place)s asks those who choose “%(label)s”.', shown),
    translate('“%(label)s” added to question %(number)s', { label: otherLabel, number }), () => {
        if (!codes.some(([each]) => each === code)) {
          const line = `other | ${otherLabel}`;
          choices.value = [choices.value.trimEnd(), line].filter(Boolean).join('\n');
        }
        question.after(text);
      });
    open(field(text, 'label'));
  }

  // The first question if nobody has touched it, as in a new survey. Added questions replace it.
  function untouched(except) {
    const [first] = all();
    if (!first || first === except) return null;
    const empty = made({});
    usualGoal(empty);
    return JSON.stringify(typed(first)) === JSON.stringify(typed(empty)) ? first : null;
  }

  // A message that also says if the empty first question is gone
  function replacing(empty, text) {
    return empty ? translate('%(change)s The empty first question is removed.', { change: text })
      : text;
  }

  // Adds questions with these values at the end, folded, as one change.
  function append(values, text, name) {
    const added = values.map(made);
    for (const each of added) each.querySelector('details').open = false;
    const empty = untouched();
    change(replacing(empty, text), name, () => {
      empty?.remove();
      list.append(...added);
    });
    summary(added[0]).focus();
  }

  // Adds the other versions of a question for an experiment (ways.js): an arm at the start if there
  // is a new one, a copy that is asked directly, and lists. All of it is one step for Undo.
  function addArmed(question, { arm, relevant, direct, lists }) {
    const copy = made({ ...typed(question), was: '', ...direct });
    const versions = [copy, ...lists.map(made)];
    const empty = untouched(question);
    const number = all().indexOf(question) + 1;
    const now = number + (arm ? 1 : 0) - (empty ? 1 : 0);
    change(replacing(empty, translate('Questions %(first)s to %(last)s are the other versions of '
      + 'question %(number)s.', {
      first: now + 1, last: now + versions.length, number: now,
    })), translate('other versions of question %(number)s', { number }), () => {
        empty?.remove();
        if (arm) list.prepend(made(arm));
        field(question, 'relevant').value = relevant;
        question.querySelector('[data-asked]').open = true;
        question.after(...versions);
      });
    open(field(copy, 'label'));
  }

  // Adds a joint question at the end, where all other questions can be part of it.
  function addJoint(question, name, protect) {
    const number = all().indexOf(question) + 1;
    const own = form.elements.level.value ? {} : { privacy: 'epsilon', epsilon: '2' };
    const joint = made({ type: 'joint', joint: name, ...own });
    change(translate('Question %(place)s is new. It randomises question %(number)s together with '
      + 'those that you tick.', { place: all().length + 1, number }),
      translate('joint question for question %(number)s added', { number }), () => {
        list.append(joint);
        protect(question, true);
      });
    open([...joint.querySelectorAll('[data-joint] input')].find((box) => !box.checked)
      ?? field(joint, 'label'));
  }

  // The question that differs between two orders: a new one, a moved one, or the neighbour of one
  // that is gone
  function moved(before, after) {
    const without = (order, question) => order.filter((each) => each !== question);
    return after.find((each) => !before.includes(each))
      ?? after.find((each) => isSame(without(before, each), without(after, each)))
      ?? after[Math.min(before.findIndex((each) => !after.includes(each)), after.length - 1)];
  }

  // The question to show after a step that changed the order. If questions are gone that were added
  // to another one, it is this other one, whose field has its old content again.
  function changed(before, after, input) {
    const other = after.length < before.length && input?.closest('.question');
    return other || moved(before, after);
  }

  function step(from, to, announcement) {
    if (!from.length) return;
    const { text, at, order, values } = from.pop();
    const before = state();
    stepping = true;
    list.replaceChildren(...order);
    const putAll = () => values.forEach((content, input) => put(input, content));
    putAll();
    for (const input of values.keys()) {
      for (const event of ['input', 'change']) {
        input.dispatchEvent(new Event(event, { bubbles: true }));
      }
    }
    putAll(); // A new type sets the usual goal
    arrange();
    stepping = false;
    typing = null;
    last = state();
    to.push({ text, at, ...difference(before, last) });
    buttons();
    announce(announcement(text));
    const [first] = values.keys();
    const input = at?.isConnected && values.has(at) ? at : first;
    const question = isSame(before.order, order) ? input.closest('[hidden]')?.closest('.question')
      : changed(before.order, order, first);
    open(question ?? input ?? form.elements.kind);
  }
  const undo = () => step(past, future, (change) => translate('Undone: %(change)s.', { change }));
  const redo = () => step(future, past, (change) => translate('Redone: %(change)s.', { change }));

  form.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (!button || button.form !== form) return;
    const question = button.closest('.question');
    if (button.dataset.do) {
      DO[button.dataset.do](question, question && all().indexOf(question) + 1);
      // At an end of the list the pressed button is now disabled
      if (button.disabled) question.querySelector('.tools [data-do]:enabled')?.focus();
    } else if ('undo' in button.dataset) undo();
    else if ('redo' in button.dataset) redo();
    else if ('fold' in button.dataset || 'unfold' in button.dataset) {
      for (const each of all()) each.querySelector('details').open = 'unfold' in button.dataset;
    }
  });
  document.addEventListener('click', (event) => {
    const link = event.target.closest('#jump a');
    const target = link && document.getElementById(link.hash.slice(1));
    if (!target) return;
    event.preventDefault();
    open(target);
  });
  document.addEventListener('keydown', (event) => {
    const inField = event.target.matches('textarea, input:not([type="checkbox"]), select');
    // The browser itself undoes the typing in the focused field
    if ((inField && event.target === typing) || !(event.ctrlKey || event.metaKey)) return;
    const key = event.key.toLowerCase();
    if (key === 'y' || (key === 'z' && event.shiftKey)) redo();
    else if (key === 'z') undo();
    else return;
    event.preventDefault();
  });
  // A restored draft may have more or fewer questions
  form.addEventListener('filling', ({ detail }) => {
    const numbers = detail.map(([name]) => Number(/^questions-(\d+)-/.exec(name)?.[1] ?? -1));
    const wanted = Math.max(...numbers) + 1;
    naming = translate('unsaved changes restored');
    while (all().length > wanted) list.lastElementChild.remove();
    while (all().length < wanted) list.append(made({}));
    stepping = true; // One step, when the values are in their fields
    arrange();
    stepping = false;
  });
  form.addEventListener('filled', () => setTimeout(() => { naming = ''; }));
  // The listeners of the other scripts, which may change more fields, come first
  for (const event of ['input', 'change']) {
    document.addEventListener(event, (each) => form.contains(each.target) && record(each));
  }
  form.addEventListener('focusout', () => { typing = null; });

  list.append(...questions.map(made));
  all().forEach((question, at, { length }) => {
    place(question, at, length);
    question.querySelector('details').open = length <= MAX_UNFOLDED;
  });
  buttons();
  // Record changes from now on
  function begin() {
    last = state();
    buttons();
  }
  return Object.freeze({
    addArmed, addJoint, addOther, all, announce, append, begin, buttons, field, future, has, index,
    instruments, languages, made, move, open, outlook, own, past, say, typed, unfold, unsay,
    usualGoal, ways,
  });
})();
