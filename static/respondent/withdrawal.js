// Taking back a response: shows a receipt to the server and says what came of it.
//
// The receipt travels in the body of a request and stands in no address, because browsers keep
// addresses in their history. On the page of a survey it is read from where it is shown.
'use strict';

const withdrawal = (() => {
  const outcome = document.getElementById('outcome');
  let state = null;

  // What is said stays said when the page changes to another language
  function say(next) {
    state = next;
    outcome.textContent = state ? outcome.dataset[state] : '';
  }

  function meaning(status) {
    if (status === 200) return 'withdrawn';
    if (status === 404) return 'unknown';
    const passing = status === 0 || status >= 500 || status === 408 || status === 429;
    return passing ? 'unreachable' : 'refused';
  }

  // Whether it is removed now; no second time while a try is under way
  async function withdraw(receipt, button) {
    if (button.disabled) return false;
    button.disabled = true;
    say('sending');
    const { status } = await post(outcome.dataset.endpoint, JSON.stringify({ receipt }));
    button.disabled = false;
    say(meaning(status));
    return state === 'withdrawn';
  }

  // At the end of a survey: what is of no more use is hidden, the button that had the focus with it
  const button = document.getElementById('take-back');
  const usable = document.getElementById('usable');

  button?.addEventListener('click', async () => {
    const receipt = document.getElementById('code').textContent.replace(/ /g, '');
    usable.hidden = await withdraw(receipt, button);
    if (usable.hidden) outcome.focus();
  });
  document.addEventListener('translated', () => say(state));

  // As before anyone was here
  function clear() {
    usable.hidden = false;
    say(null);
  }

  return Object.freeze({ clear, say, withdraw });
})();
