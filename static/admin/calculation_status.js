// A large analysis takes many seconds. When its form is sent, this script says that Candor
// calculates, until the browser shows the next page.
'use strict';

(() => {
  const form = document.querySelector('form.analysis-form');
  if (!form) return;
  const button = form.querySelector('button.primary');
  const status = form.querySelector('[data-calculating]');

  function show(busy) {
    button.disabled = busy;
    if (busy) button.setAttribute('aria-busy', 'true');
    else button.removeAttribute('aria-busy');
    status.textContent = busy ? status.dataset.calculating : '';
  }

  form.addEventListener('submit', () => show(true));
  // The request may have been stopped, so that the researcher can change something.
  form.addEventListener('input', () => show(false));
  // The browser may keep the state of the page when the researcher comes back.
  window.addEventListener('pageshow', () => show(false));
})();
