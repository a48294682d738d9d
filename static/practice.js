// The practice toss: a made-up question, mixed up as often as one likes. Nothing is sent or kept.
'use strict';

(() => {
  const COINS = { rows: [[3, 1], [1, 3]] }; // two coins, as the sentences beside it say
  const said = document.getElementById('tossed');
  const buttons = [...document.querySelectorAll('[data-toss]')];
  const same = [0, 0];
  const times = [0, 0];

  buttons.forEach((button, answer) => button.addEventListener('click', () => {
    const report = Number(randomizer.report(COINS, answer));
    times[answer] += 1;
    same[answer] += report === answer ? 1 : 0;
    const parts = [button.textContent, buttons[report].textContent, same[answer], times[answer]];
    said.textContent = said.dataset.words.replace(/\{(\d)\}/g, (_, place) => parts[place]);
  }));
})();
