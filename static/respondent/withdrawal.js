// Withdraws a response: sends a receipt to the server and shows the result.
//
// The receipt is in the body of the request and never in an address, because browsers keep
// addresses in their history. On a survey's page, the script reads it from where it is shown.
'use strict';

const withdrawal = (() => {
  const outcome = document.getElementById('outcome');
  let state = null;

  // The state is kept, so that the sentence can follow a change of language.
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

  // Whether the response is removed now. Only one attempt runs at a time.
  async function withdraw(receipt, button) {
    if (button.disabled) return false;
    button.disabled = true;
    say('sending');
    const { status } = await post(outcome.dataset.endpoint, JSON.stringify({ receipt }));
    button.disabled = false;
    say(meaning(status));
    return state === 'withdrawn';
  }

  // At the end of a survey, a successful withdrawal hides the receipt and the focused button.
  const button = document.getElementById('take-back');
  const usable = document.getElementById('usable');

  button?.addEventListener('click', async () => {
    const receipt = document.getElementById('code').textContent.replace(/ /g, '');
    usable.hidden = await withdraw(receipt, button);
    if (usable.hidden) outcome.focus();
  });
  document.addEventListener('translated', () => say(state));

  // Back to the state for the next person.
  function clear() {
    usable.hidden = false;
    say(null);
  }

  return Object.freeze({ clear, say, withdraw });
})();
