// Withdraws a response: sends a receipt to the server and shows the result.
//
// The receipt is in the body of the request and never in an address, because browsers keep
// addresses in their history.
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

  // Surveys without receipts have no outcome.
  if (outcome) document.addEventListener('translated', () => say(state));

  return Object.freeze({ say, withdraw });
})();
