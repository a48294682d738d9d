// The practice toss: a made-up question, mixed up as often as one likes, by the same randomizer
// as the real ones. Nothing is sent or kept.
'use strict';

(() => {
  // the odds of the question that is mixed up least
  const row = document.getElementById('practice').dataset.row.split(' ').map(Number);
  const table = { rows: [row, [...row].reverse()] };
  const said = document.getElementById('tossed');
  const buttons = [...document.querySelectorAll('[data-toss]')];
  const same = [0, 0];
  const times = [0, 0];
  let last = null; // the answer and its report

  function say() {
    const [answer, report] = last;
    const words = last.map((place) => buttons[place].textContent);
    const parts = [...words, same[answer], times[answer]];
    said.textContent = said.dataset.words.replace(/\{(\d)\}/g, (_, place) => parts[place]);
  }

  buttons.forEach((button, answer) => button.addEventListener('click', () => {
    if (said.textContent === '') [same, times].forEach((counts) => counts.fill(0)); // see start.js
    const report = Number(randomizer.report(table, answer));
    times[answer] += 1;
    same[answer] += report === answer ? 1 : 0;
    last = [answer, report];
    say();
  }));
  document.addEventListener('translated', () => { if (said.textContent !== '') say(); });
})();
