// The page for withdrawing: takes a typed receipt and asks the server to remove the response.
//
// It does not read a receipt from the address, because browsers keep addresses in their history.
// The typed receipt is erased after the withdrawal, or when the person leaves the page.
'use strict';

(() => {
  const find = (id) => document.getElementById(id);
  const form = find('withdraw');
  const field = find('receipt');

  // The receipt as the server accepts it, without spaces, hyphens and capitals.
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
      // The button that had the focus is hidden now.
      find('outcome').focus();
    }
  }

  if (!browser.able()) return;
  form.addEventListener('submit', submit);
  field.addEventListener('input', () => complain(false));
  window.addEventListener('pagehide', () => { field.value = ''; });
  find('loading').hidden = true;
  form.hidden = false;
})();
