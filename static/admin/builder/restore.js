// Saving loads a new page. This script restores the open questions, the scroll position, and the
// Undo and Redo steps, also after a save that failed. This tab keeps them until the next page. They
// contain texts of the survey, never answers.
'use strict';

(() => {
  const KEY = 'candor-builder';
  const form = document.getElementById('builder');
  const { all, buttons, future, made, past, say, typed } = builderQuestions;
  const SAVING = ['save', 'save-copy'];

  const labels = () => all().map((question) => builderQuestions.field(question, 'label').value);

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
    const known = [...all(), ...entry.gone.map(made)];
    for (const [orders, there] of [[entry.past, past], [entry.future, future]]) {
      there.push(...orders.map((order) => order.map((number) => known[number])));
    }
    buttons();
    all().forEach((question, place) => {
      if (entry.unfolded[place]) question.querySelector('details').open = true;
    });
    if (document.querySelector('[data-fault], #conflict')) return; // The error has the focus
    const focused = document.getElementById(entry.focus)
      ?? form.querySelector(`.saving [name="do"][value="${CSS.escape(entry.focus)}"]`);
    focused?.focus({ preventScroll: true });
    window.scrollTo({ top: entry.top, behavior: 'instant' });
  }

  form.addEventListener('submit', (event) => {
    if (event.defaultPrevented || !SAVING.includes(event.submitter?.value ?? 'save')) return;
    try {
      sessionStorage.setItem(KEY, JSON.stringify(kept()));
    } catch { /* Storage is blocked or full. */ }
  });

  const saved = document.querySelector('[data-saved]');
  if (saved) { // It is far above the visible part
    const text = saved.textContent;
    say(text, false);
    saved.remove();
    form.addEventListener('input', () => builderQuestions.unsay(text), { once: true });
  }
  const entry = take();
  if (entry && JSON.stringify(entry.labels) === JSON.stringify(labels())) putBack(entry);
  // Until now a press would have saved the survey without its questions, or done nothing.
  for (const button of form.querySelectorAll('[data-waits]')) button.disabled = false;
})();
