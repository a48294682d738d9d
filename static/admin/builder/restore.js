// Saving loads a new page. This script restores the open questions, the scroll position, and the
// Undo and Redo steps, also after a save that failed. This tab keeps them until the next page. They
// contain texts of the survey, never answers.
'use strict';

(() => {
  const KEY = 'candor-builder';
  const form = document.getElementById('builder');
  const { all, begin, future, made, own, past, say, typed } = builderQuestions;
  const SAVING = ['save', 'save-copy'];

  const labels = () => all().map((question) => builderQuestions.field(question, 'label').value);

  function kept() {
    const orders = [...past, ...future].flatMap(({ order }) => order);
    const known = [...new Set([...all(), ...orders])];
    // Ids change with the numbers of the questions.
    const place = (input) => {
      const question = input.closest('.question');
      return [known.indexOf(question), question ? own(input) : input.id];
    };
    const numbers = (steps) => steps.map(({ text, order, values }) => ({
      text,
      order: order.map((each) => known.indexOf(each)),
      values: [...values].map(([input, content]) => [...place(input), content]),
    }));
    const focused = document.activeElement;
    const seen = all().findIndex((question) => question.getBoundingClientRect().bottom > 0);
    const field = focused?.closest('.question') && focused.id ? focused : all()[seen];
    return {
      labels: labels(),
      gone: known.slice(all().length).map(typed),
      past: numbers(past),
      future: numbers(future),
      unfolded: all().map((question) => question.querySelector('details').open),
      focus: focused?.id || (focused?.name === 'do' ? focused.value : ''),
      seen,
      // Texts that come later move what is below them, so the place is relative to a field.
      top: field?.getBoundingClientRect().top,
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
    const input = (number, name) => (number < 0 ? document.getElementById(name)
      : [...known[number].querySelectorAll('[name]')].find((each) => own(each) === name));
    for (const [steps, there] of [[entry.past, past], [entry.future, future]]) {
      there.push(...steps.map(({ text, order, values }) => ({
        text,
        order: order.map((number) => known[number]),
        values: new Map(values.map(([number, name, content]) => [input(number, name), content])
          .filter(([each]) => each)),
      })));
    }
    all().forEach((question, place) => {
      if (entry.unfolded[place]) question.querySelector('details').open = true;
    });
    if (document.querySelector('[data-fault], #conflict')) return; // The error has the focus
    const focused = document.getElementById(entry.focus)
      ?? form.querySelector(`.saving [name="do"][value="${CSS.escape(entry.focus)}"]`);
    focused?.focus({ preventScroll: true });
    const field = focused?.closest('.question') ? focused : all()[entry.seen];
    if (!field) return;
    const top = field.getBoundingClientRect().top - entry.top;
    window.scrollBy({ top, behavior: 'instant' });
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
    say(text);
    saved.remove();
    form.addEventListener('input', () => builderQuestions.unsay(text), { once: true });
  }
  const entry = take();
  if (entry && JSON.stringify(entry.labels) === JSON.stringify(labels())) putBack(entry);
  begin();
  // Until now a press would have saved the survey without its questions, or done nothing.
  for (const button of form.querySelectorAll('[data-waits]')) button.disabled = false;
})();
