// The receipt at the end of a survey: shows it, copies it, saves it as a file, and withdraws with
// it.
//
// The receipt is only on this page, until the person copies or saves it. It is never in an address,
// because browsers keep addresses in their history. The name of the file tells nothing about it.
'use strict';

const receipts = (() => {
  const FILE_NAME = 'note.txt';
  const find = (id) => document.getElementById(id);
  const [code, copied, usable] = [find('code'), find('copied'), find('usable')];
  // Where people can type the receipt later. They may write it down, so it has no query.
  const address = () => `${window.location.origin}${window.location.pathname}/withdraw`;
  // The sentence about the copy follows a change of language.
  let state = null;

  function say(next) {
    state = next;
    copied.textContent = state ? copied.dataset[state] : '';
  }

  function show(receipt) {
    find('receipt').hidden = !receipt;
    find('no-receipt').hidden = Boolean(receipt);
    code.textContent = (receipt ?? '').replace(/(.{4})(?=.)/g, '$1 ');
    find('later').textContent = address();
  }

  async function copy() {
    try {
      await navigator.clipboard.writeText(code.textContent);
      say('done');
    } catch {
      say('failed');
    }
  }

  // Browsers list the address of a download, so the address does not hold the receipt.
  function save() {
    const file = new Blob([`${address()}\n${code.textContent}\n`], { type: 'text/plain' });
    const link = document.createElement('a');
    [link.href, link.download] = [URL.createObjectURL(file), FILE_NAME];
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60 * 1000);
  }

  // A successful withdrawal hides the receipt and the button with the focus.
  async function takeBack() {
    const receipt = code.textContent.replace(/ /g, '');
    const withdrawn = await withdrawal.withdraw(receipt, find('take-back'));
    // On a kiosk, the page may have returned to its start meanwhile.
    if (!code.textContent) clear();
    else if (withdrawn) {
      usable.hidden = true;
      find('outcome').focus();
    }
  }

  // Back to the state for the next person.
  function clear() {
    code.textContent = '';
    usable.hidden = false;
    say(null);
    withdrawal.say(null);
  }

  // Most surveys have no receipts.
  if (usable) {
    find('copy').addEventListener('click', copy);
    find('save').addEventListener('click', save);
    find('take-back').addEventListener('click', takeBack);
    document.addEventListener('translated', () => say(state));
  }

  return Object.freeze({ clear, show });
})();
