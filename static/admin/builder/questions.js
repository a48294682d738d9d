// The builder's questions: added, moved, copied and deleted without asking the server, each change
// said and taken back at will. A question that was deleted keeps what was typed into it.
'use strict';

const builderQuestions = (() => {
  const list = document.getElementById('list');
  const blank = document.getElementById('blank');
  const said = document.getElementById('said');
  const form = list.closest('form');
  const NAMED = ['id', 'name', 'for', 'aria-describedby', 'aria-labelledby'];
  const past = []; // the orders of the questions before each change
  const future = []; // those that were taken back

  const all = () => [...list.children];
  const field = (question, name) => question.querySelector(`[name$="-${name}"]`);
  const summary = (question) => question.querySelector('summary');

  function place(question, index, total) {
    const named = question.querySelectorAll('[id], [name], [for], [aria-label], [data-do]');
    for (const element of [question, ...named]) {
      for (const name of NAMED) {
        const value = element.getAttribute(name);
        const there = value?.replace(/questions-\d+/g, `questions-${index}`)
          .replace(/question-\d+/g, `question-${index + 1}`);
        if (value !== null && there !== value) element.setAttribute(name, there);
      }
      if (!element.dataset.do) continue;
      element.value = `${element.dataset.do}-${index}`;
      const label = element.getAttribute('aria-label');
      if (label) element.setAttribute('aria-label', label.replace(/\d+/, index + 1));
      if (element.dataset.do === 'up') element.disabled = index === 0;
      if (element.dataset.do === 'down') element.disabled = index === total - 1;
    }
    question.querySelector('[data-number]').textContent = index + 1;
  }

  // A part of the form that did not apply until now, taken from the blank question
  function fillPart(question, part) {
    if (part.childElementCount) return;
    const whole = blank.content.querySelector(`[data-for="${part.dataset.for}"]`);
    part.replaceChildren(...document.importNode(whole, true).childNodes);
    place(question, all().indexOf(question), all().length);
    if (part.dataset.for === 'goal') usualGoal(question);
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

  // The list of all questions, to go to one
  function index() {
    const entries = all().map((question) => {
      const [entry, link] = ['li', 'a'].map((tag) => document.createElement(tag));
      link.href = `#${question.id}`;
      link.textContent = question.querySelector('[data-label]').textContent;
      entry.append(link);
      return entry;
    });
    document.querySelector('#jump ol').replaceChildren(...entries);
  }

  // A change can be taken back; other messages come without the button
  function say(text, change = true) {
    said.querySelector('span').textContent = text;
    said.querySelector('[data-undo]').hidden = !change;
    said.hidden = false;
  }

  // What was said holds no longer
  function unsay(text) {
    if (said.querySelector('span').textContent === text) said.hidden = true;
  }

  // Unfold what a field, or a whole question, is in, and go to it
  function open(target) {
    const at = target.matches('.question') ? summary(target) : target;
    for (let around = at.closest('details'); around;
      around = around.parentElement.closest('details')) around.open = true;
    at.focus();
  }

  // What one mostly wants to know of such a question
  function usualGoal(question) {
    const goal = field(question, 'goal');
    if (goal) goal.value = ofType(question).goal || 'shares';
  }

  // What its type says of itself (survey/definition/types/): the menu of types has it
  function ofType(question) {
    const chosen = field(question, 'type').value;
    return [...form.elements.kind.options].find(({ value }) => value === chosen)?.dataset ?? {};
  }

  // Whether a part of the form, or a protection, belongs to its type
  function has(question, part) {
    return (ofType(question).parts ?? '').split(' ').includes(part);
  }

  function change(text, how) {
    past.push(all());
    future.length = 0;
    how();
    arrange();
    say(text);
  }

  function made() {
    const question = document.importNode(blank.content, true).querySelector('.question');
    question.querySelector('[data-label]').textContent = '(not worded yet)';
    return question;
  }

  function copied(question) {
    const copy = question.cloneNode(true);
    const pairs = [question, copy].map((each) => each.querySelectorAll('input, select, textarea'));
    pairs[1].forEach((element, at) => {
      element.value = pairs[0][at].value;
      element.checked = pairs[0][at].checked;
    });
    field(copy, 'name').value = '';
    field(copy, 'was').value = '';
    return copy;
  }

  const DO = {
    add() {
      const question = made();
      field(question, 'type').value = form.elements.kind.value;
      usualGoal(question);
      change(`Question ${all().length + 1} added.`, () => list.append(question));
      open(field(question, 'label'));
    },
    up(question, number) {
      // the other one moves, so that this one keeps the focus
      change(`Moved up: question ${number} is question ${number - 1} now.`,
        () => question.after(question.previousElementSibling));
    },
    down(question, number) {
      change(`Moved down: question ${number} is question ${number + 1} now.`,
        () => question.before(question.nextElementSibling));
    },
    copy(question, number) {
      const copy = copied(question);
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
    for (const question of before) if (!order.includes(question)) question.remove();
    order.forEach((question, at) => {
      if (list.children[at] !== question) list.insertBefore(question, list.children[at] ?? null);
    });
    arrange();
    say(text);
    const back = order.find((question) => !before.includes(question));
    if (back) summary(back).focus();
    else if (focused?.isConnected && !focused.disabled) focused.focus();
  }
  const undo = () => step(past, future, 'Taken back.');
  const redo = () => step(future, past, 'Done again.');

  form.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (!button || button.form !== form) return;
    const verb = button.dataset.do ?? button.value;
    const question = button.closest('.question');
    if (DO[verb]) {
      event.preventDefault();
      DO[verb](question, question && all().indexOf(question) + 1);
      // at the end of the list its button is of no use any more
      if (button.disabled) question.querySelector('.tools button:enabled')?.focus();
    } else if ('undo' in button.dataset) {
      event.preventDefault();
      undo();
    } else if ('redo' in button.dataset) redo();
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
  // work that is put back may have more questions, or fewer
  form.addEventListener('filling', ({ detail }) => {
    const numbers = detail.map(([name]) => Number(/^questions-(\d+)-/.exec(name)?.[1] ?? -1));
    const wanted = Math.max(...numbers) + 1;
    past.push(all());
    while (all().length > wanted) list.lastElementChild.remove();
    while (all().length < wanted) list.append(made());
    arrange();
  });

  for (const hidden of form.querySelectorAll('[data-redo], [data-fold], [data-unfold], #jump')) {
    hidden.hidden = false;
  }
  index();
  buttons();
  return Object.freeze({
    all, buttons, field, fillPart, future, has, index, made, open, past, say, unsay, usualGoal,
  });
})();
