// The errors in the form, from the server: focuses the first faulty field, links the list to the
// fields, and removes an error when its field is changed.
'use strict';

(() => {
  const form = document.getElementById('builder');
  const left = document.getElementById('faults-left');
  // Keep the elements, because their numbers change when questions are moved
  const faults = [...document.querySelectorAll('[data-fault]')].map((link) => (
    { link, target: document.getElementById(link.hash.slice(1)) }));

  // Show an error next to its field, and unfold it. The list of questions has no field.
  function putBeside(target, sentence) {
    const holder = target?.closest('.field, fieldset');
    if (!holder) return;
    const id = `${target.id}-error`;
    const error = document.getElementById(id)
      ?? builderConditions.element('p', { id, className: 'error' });
    error.textContent = `${error.textContent} ${sentence}`.trim();
    holder.append(error);
    target.setAttribute('aria-invalid', 'true');
    const described = (target.getAttribute('aria-describedby') ?? '').split(' ');
    target.setAttribute('aria-describedby', [...new Set([...described, id])].join(' ').trim());
    builderQuestions.unfold(holder);
  }

  function go(target) {
    if (target?.matches('input, select, textarea')) builderQuestions.open(target);
    else if (target) builderQuestions.open(target.querySelector('input') ?? target);
  }

  for (const { link, target } of faults) {
    putBeside(target, link.dataset.fault);
    link.addEventListener('click', (event) => {
      event.preventDefault();
      go(target);
    });
  }

  form.addEventListener('input', ({ target }) => {
    if (!target.ariaInvalid) return;
    target.removeAttribute('aria-invalid');
    const error = document.getElementById(`${target.id}-error`);
    error.classList.add('changed');
    const described = target.getAttribute('aria-describedby').replace(error.id, '').trim();
    if (described) target.setAttribute('aria-describedby', described);
    else target.removeAttribute('aria-describedby');
    if (!left) return;
    for (const fault of faults) {
      if (fault.target === target) fault.link.parentElement.classList.add('changed');
    }
    const open = faults.filter(({ link }) => !link.parentElement.matches('.changed')).length;
    if (!open) left.textContent = translate('You have changed all these fields. Save again.');
    else if (open === 1) left.textContent = translate('1 field left to correct.');
    else left.textContent = translate('%(n)s fields left to correct.', { n: open });
  });

  // The pre-launch checklist also links to a question or a field
  const named = document.getElementById(location.hash.slice(1));
  if (faults.length) go(faults[0].target);
  else if (form.contains(named) && named.matches('.question, input, textarea, select')) {
    // The browser follows the link when the page has loaded, and moves the focus away
    window.addEventListener('load', () => builderQuestions.open(named));
  }
})();
