// The page for withdrawing: takes a receipt that is typed, and has the response removed.
//
// A receipt in the address is not read, so that nobody makes such links: browsers keep them. What
// is typed is erased when it is of no more use or the page is left.
'use strict';

(() => {
  const find = (id) => document.getElementById(id);
  const form = find('withdraw');
  const field = find('receipt');

  // As the server takes it, from how people type it
  const canonical = (typed) => typed.replace(/[\s-]+/g, '').toLowerCase();
  const whole = (receipt) => /^[0-9a-f]{32}$/.test(receipt);

  function complain(wrong) {
    find('fault').hidden = !wrong;
    if (wrong) field.setAttribute('aria-invalid', 'true');
    else field.removeAttribute('aria-invalid');
  }

  async function submit(event) {
    event.preventDefault();
    const receipt = canonical(field.value);
    complain(!whole(receipt));
    if (!whole(receipt)) {
      withdrawal.say(null);
      field.focus();
    } else if (await withdrawal.withdraw(receipt, form.querySelector('button'))) {
      field.value = '';
      form.hidden = true;
      find('outcome').focus(); // the button that had the focus is gone
    }
  }

  if (!browser.able()) return;
  form.addEventListener('submit', submit);
  field.addEventListener('input', () => complain(false));
  window.addEventListener('pagehide', () => { field.value = ''; });
  find('loading').hidden = true;
  form.hidden = false;
})();
