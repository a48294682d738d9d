// What is wrong with the form, as the server said it: the first faulty field gets the focus, the
// list leads to each, and what was said of a field goes once the field is changed. It keeps its
// room as long as one is typing there, and until the pointer is let go, so that nothing moves away
// from under it.
'use strict';

(() => {
  const form = document.getElementById('builder');
  const left = document.getElementById('faults-left');
  // the fields themselves, since their numbers change when questions are moved
  const faults = [...document.querySelectorAll('[data-fault]')].map((link) => (
    { link, target: document.getElementById(link.hash.slice(1)) }));

  function go(target) {
    if (target?.matches('input, select, textarea')) builderQuestions.open(target);
    else if (target) builderQuestions.open(target.querySelector('input') ?? target);
  }

  for (const { link, target } of faults) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      go(target);
    });
  }

  form.addEventListener('input', ({ target }) => {
    if (!target.ariaInvalid) return;
    target.removeAttribute('aria-invalid');
    const error = document.getElementById(`${target.id}-error`);
    if (error) {
      error.classList.add('changed');
      const others = (target.getAttribute('aria-describedby') ?? '').split(' ')
        .filter((id) => id !== error.id);
      if (others.join('')) target.setAttribute('aria-describedby', others.join(' '));
      else target.removeAttribute('aria-describedby');
    }
    for (const fault of faults) {
      if (fault.target === target) fault.link.parentElement.classList.add('changed');
    }
    const open = faults.filter(({ link }) => !link.parentElement.matches('.changed')).length;
    const words = open ? left.dataset[open === 1 ? 'one' : 'more'] : left.dataset.none;
    left.textContent = words.replace('{0}', open);
  });

  let pressed = false;
  function closeUp() {
    for (const error of form.querySelectorAll('.error.changed')) {
      const field = document.getElementById(error.id.replace(/-error$/, ''));
      if (field !== document.activeElement) error.hidden = true;
    }
  }
  document.addEventListener('pointerdown', () => { pressed = true; });
  for (const end of ['pointerup', 'pointercancel']) {
    document.addEventListener(end, () => {
      pressed = false;
      setTimeout(closeUp); // after the click
    });
  }
  form.addEventListener('focusin', () => { if (!pressed) closeUp(); });

  // the checklist before opening leads to a question or a field, too
  const named = document.getElementById(location.hash.slice(1));
  if (faults.length) go(faults[0].target);
  else if (form.contains(named) && named.matches('.question, input, textarea, select')) {
    builderQuestions.open(named);
  }
})();
