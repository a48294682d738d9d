// The page for withdrawing: shows the receipt to the server, which removes the response it is for.
//
// The receipt may come in the address, after the #, which browsers send to nobody. It is taken out
// of the address at once, so that neither the bar nor the history of the browser keeps it, and
// erased from the field when it is of no more use or the page is left.
'use strict';

(() => {
  const TIMEOUT_SECONDS = 20;
  const find = (id) => document.getElementById(id);
  const page = find('page');
  const form = find('withdraw');
  const field = find('receipt');
  const button = form.querySelector('button');
  const outcome = find('outcome');

  // As the server takes it, from how people type it
  const canonical = (typed) => typed.replace(/[\s-]+/g, '').toLowerCase();
  const whole = (receipt) => /^[0-9a-f]{32}$/.test(receipt);

  function complain(wrong) {
    find('fault').hidden = !wrong;
    if (wrong) field.setAttribute('aria-invalid', 'true');
    else field.removeAttribute('aria-invalid');
  }

  // What is said stays said when the page changes to another language
  let state = null;
  function say(next) {
    state = next;
    outcome.textContent = state ? outcome.dataset[state] : '';
  }

  function takeFromAddress() {
    const receipt = canonical(location.hash.slice(1));
    if (!whole(receipt)) return;
    history.replaceState(null, '', location.pathname + location.search);
    field.value = receipt;
    say(null);
    complain(false);
  }

  async function post(receipt) {
    try {
      const response = await fetch(page.dataset.endpoint, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ receipt }),
        credentials: 'omit',
        cache: 'no-store',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
        signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
      });
      return response.status;
    } catch {
      return 0; // no connection, or no answer in time
    }
  }

  function meaning(status) {
    if (status === 200) return 'withdrawn';
    if (status === 404) return 'unknown';
    const passing = status === 0 || status >= 500 || status === 408 || status === 429;
    return passing ? 'unreachable' : 'refused';
  }

  async function withdraw(event) {
    event.preventDefault();
    if (button.disabled) return; // Enter in the field while a try is under way
    const receipt = canonical(field.value);
    complain(!whole(receipt));
    say(null);
    if (!whole(receipt)) {
      field.focus();
      return;
    }
    button.disabled = true;
    say('sending');
    const result = meaning(await post(receipt));
    button.disabled = false;
    say(result);
    if (result === 'withdrawn') {
      field.value = '';
      form.hidden = true;
      outcome.focus(); // the button that had the focus is gone
    }
  }

  takeFromAddress();
  form.addEventListener('submit', withdraw);
  field.addEventListener('input', () => complain(false));
  window.addEventListener('hashchange', takeFromAddress);
  document.addEventListener('translated', () => say(state));
  window.addEventListener('pagehide', () => { field.value = ''; });
  find('loading').hidden = true;
  form.hidden = false;
})();
