// After a save the page is a new one. What it was like before is put back: which questions were
// unfolded, where the reader was, and what Undo and Redo would do, also after a save that failed.
// It is kept in this tab from the press to the next page, and holds texts of the survey, never
// answers.
'use strict';

(() => {
  const KEY = 'candor-builder';
  const form = document.getElementById('builder');
  const { all, buttons, future, made, past, say } = builderQuestions;
  const SAVING = ['save', 'save-copy'];

  const inputs = (question) => [...question.querySelectorAll('input, select, textarea')]
    .filter(({ name }) => name);
  const own = (name) => name.replace(/^questions-\d+-/, '');
  const labels = () => all().map((question) => builderQuestions.field(question, 'label').value);

  function typed(question) {
    return inputs(question).map(({ name, type, value, checked }) => (
      [own(name), type === 'checkbox' ? checked : value]));
  }

  function remade(fields) {
    const question = made();
    const values = new Map(fields);
    for (const element of inputs(question)) {
      const value = values.get(own(element.name));
      if (typeof value === 'boolean') element.checked = value;
      else if (value !== undefined) element.value = value;
    }
    return question;
  }

  function kept() {
    const known = [...new Set([...all(), ...past.flat(), ...future.flat()])];
    const numbers = (orders) => orders.map((order) => order.map((each) => known.indexOf(each)));
    const focused = document.activeElement;
    return {
      labels: labels(),
      gone: known.slice(all().length).map(typed),
      past: numbers(past),
      future: numbers(future),
      unfolded: all().map((question) => question.querySelector('details').open),
      focus: focused?.id || (focused?.name === 'do' ? focused.value : ''),
      top: window.scrollY,
    };
  }

  function take() {
    try {
      const entry = JSON.parse(sessionStorage.getItem(KEY));
      sessionStorage.removeItem(KEY);
      return entry;
    } catch { return null; }
  }

  function putBack(entry) {
    const known = [...all(), ...entry.gone.map(remade)];
    for (const [orders, there] of [[entry.past, past], [entry.future, future]]) {
      there.push(...orders.map((order) => order.map((number) => known[number])));
    }
    buttons();
    all().forEach((question, place) => {
      if (entry.unfolded[place]) question.querySelector('details').open = true;
    });
    if (document.querySelector('[data-fault], #conflict')) return; // that has the focus
    const focused = document.getElementById(entry.focus)
      ?? form.querySelector(`.saving [name="do"][value="${CSS.escape(entry.focus)}"]`);
    focused?.focus({ preventScroll: true });
    window.scrollTo({ top: entry.top, behavior: 'instant' });
  }

  form.addEventListener('submit', (event) => {
    if (event.defaultPrevented || !SAVING.includes(event.submitter?.value ?? 'save')) return;
    try { sessionStorage.setItem(KEY, JSON.stringify(kept())); } catch { /* blocked, or full */ }
  });

  const saved = document.querySelector('[data-saved]');
  if (saved) { // far above where the reader is
    const text = saved.textContent;
    say(text, false);
    saved.remove();
    form.addEventListener('input', () => builderQuestions.unsay(text), { once: true });
  }
  const entry = take();
  if (entry && JSON.stringify(entry.labels) === JSON.stringify(labels())) putBack(entry);
})();
