// The builder's questions: made from a template and data on the page, added, moved, copied and
// deleted. Each change is announced and can be undone. A deleted question keeps its texts, so that
// Undo restores them.
'use strict';

const builderQuestions = (() => {
  const list = document.getElementById('list');
  const blank = document.getElementById('blank');
  const said = document.getElementById('said');
  const form = list.closest('form');
  const { element } = builderConditions;
  const { outlook, questions, types } = JSON.parse(document.getElementById('scripted').textContent);
  const NAMED = ['id', 'name', 'for', 'aria-describedby', 'aria-label', 'aria-labelledby'];
  // With more questions than this, all are folded at first.
  const MAX_UNFOLDED = 5;
  // The orders of the questions before each change, and those that Redo restores.
  const past = [];
  const future = [];

  const all = () => [...list.children];
  const field = (question, name) => question.querySelector(`[name$="-${name}"]`);
  const summary = (question) => question.querySelector('summary');

  function place(question, index, total) {
    const named = question.querySelectorAll('[id], [name], [for], [aria-label]');
    for (const element of [question, ...named]) {
      for (const name of NAMED) {
        const value = element.getAttribute(name);
        const there = value?.replace(/questions-\d+/g, `questions-${index}`)
          .replace(/question-\d+/g, `question-${index + 1}`)
          .replace(/^Move question \d+/, `Move question ${index + 1}`);
        if (value !== null && there !== value) element.setAttribute(name, there);
      }
    }
    question.querySelector('[data-do="up"]').disabled = index === 0;
    question.querySelector('[data-do="down"]').disabled = index === total - 1;
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
  function made(values) {
    const question = document.importNode(blank.content, true).querySelector('.question');
    for (const element of question.querySelectorAll('[name]')) {
      const value = values[own(element)];
      if (value === undefined) continue;
      if (element.type === 'checkbox') element.defaultChecked = value;
      else if (element.options) {
        for (const option of element.options) option.defaultSelected = option.value === value;
      } else element.defaultValue = value.replace(/\r\n/g, '\n');
    }
    if (values.choices) {
      field(question, 'choices').rows = Math.min(values.choices.split('\n').length + 1, 12);
    }
    question.querySelector('[data-asked]').open = Boolean(values.relevant || values.otherwise);
    return question;
  }

  function buttons() {
    for (const button of form.querySelectorAll('[data-undo]')) button.disabled = !past.length;
    form.querySelector('[data-redo]').disabled = !future.length;
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

  // Show a message. A message about a change has an Undo button.
  function say(text, change = true) {
    said.querySelector('span').textContent = text;
    said.querySelector('[data-undo]').hidden = !change;
    said.hidden = false;
  }

  // Hide a message that is no longer true
  function unsay(text) {
    if (said.querySelector('span').textContent === text) said.hidden = true;
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

  function change(text, how) {
    past.push(all());
    future.length = 0;
    how();
    arrange();
    say(text);
  }

  const DO = {
    add() {
      const question = made({ type: form.elements.kind.value });
      usualGoal(question);
      change(`Question ${all().length + 1} added.`, () => list.append(question));
      open(field(question, 'label'));
    },
    up(question, number) {
      // Move the other question, so that this one keeps the focus
      change(`Moved up: question ${number} is question ${number - 1} now.`,
        () => question.after(question.previousElementSibling));
    },
    down(question, number) {
      change(`Moved down: question ${number} is question ${number + 1} now.`,
        () => question.before(question.nextElementSibling));
    },
    copy(question, number) {
      const copy = made({ ...typed(question), name: '', was: '' });
      change(`Question ${number + 1} is a copy of question ${number}.`,
        () => question.after(copy));
      open(field(copy, 'label'));
    },
    remove(question, number) {
      const next = question.nextElementSibling ?? question.previousElementSibling;
      change(`Question ${number} deleted.`, () => question.remove());
      (next ? summary(next) : form.elements.kind).focus();
    },
  };

  function step(from, to, text) {
    if (!from.length) return;
    const before = all();
    to.push(before);
    const order = from.pop();
    const focused = document.activeElement;
    list.replaceChildren(...order);
    arrange();
    say(text);
    const back = order.find((question) => !before.includes(question));
    if (back) summary(back).focus();
    else if (focused?.isConnected && !focused.disabled) focused.focus();
  }
  const undo = () => step(past, future, 'Undone.');
  const redo = () => step(future, past, 'Redone.');

  form.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (!button || button.form !== form) return;
    const question = button.closest('.question');
    if (button.dataset.do) {
      DO[button.dataset.do](question, question && all().indexOf(question) + 1);
      // At an end of the list the pressed button is now disabled
      if (button.disabled) question.querySelector('.tools button:enabled')?.focus();
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
    const typing = event.target.matches('textarea, input:not([type="checkbox"]), select');
    if (typing || !(event.ctrlKey || event.metaKey)) return;
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
    past.push(all());
    while (all().length > wanted) list.lastElementChild.remove();
    while (all().length < wanted) list.append(made({}));
    arrange();
  });

  list.append(...questions.map(made));
  all().forEach((question, at, { length }) => {
    place(question, at, length);
    question.querySelector('details').open = length <= MAX_UNFOLDED;
  });
  buttons();
  return Object.freeze({
    all, buttons, field, future, has, index, made, open, outlook, past, say, typed, unfold, unsay,
    usualGoal,
  });
})();
