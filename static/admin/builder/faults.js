// What is wrong with the form, as the server said it: the first faulty field gets the focus, the
// list leads to each, and what was said of a field goes once the field is changed.
'use strict';

(() => {
  const form = document.getElementById('builder');
  const left = document.getElementById('faults-left');
  // the fields themselves, since their numbers change when questions are moved
  const faults = [...document.querySelectorAll('[data-fault]')].map((link) => (
    { link, target: document.getElementById(link.hash.slice(1)) }));

  // A fault beside its field, which is unfolded; the list of questions has none
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
    for (const fault of faults) {
      if (fault.target === target) fault.link.parentElement.classList.add('changed');
    }
    const open = faults.filter(({ link }) => !link.parentElement.matches('.changed')).length;
    const words = open ? left.dataset[open === 1 ? 'one' : 'more'] : left.dataset.none;
    left.textContent = words.replace('{0}', open);
  });

  // the checklist before opening leads to a question or a field, too
  const named = document.getElementById(location.hash.slice(1));
  if (faults.length) go(faults[0].target);
  else if (form.contains(named) && named.matches('.question, input, textarea, select')) {
    // the browser goes there itself once the page is loaded, and takes the focus away
    window.addEventListener('load', () => builderQuestions.open(named));
  }
})();
