// The practice toss: a made-up question that people can answer as often as they like. The same
// randomizer mixes it up. Nothing is sent or stored.
'use strict';

(() => {
  // A survey that mixes up nothing has no practice.
  const practice = document.getElementById('practice');
  if (!practice) return;
  // The table of the question that is protected least, or one that protects two answers as much.
  const entries = practice.dataset.table.split(' ').map(Number);
  const table = { rows: [entries.slice(0, 2), entries.slice(2)] };
  const said = document.getElementById('tossed');
  const buttons = [...document.querySelectorAll('[data-toss]')];
  const same = [0, 0];
  const times = [0, 0];
  // The last answer and its report.
  let last = null;

  function say() {
    const [answer, report] = last;
    const words = last.map((place) => buttons[place].textContent);
    const parts = [...words, same[answer], times[answer]];
    said.textContent = said.dataset.words.replace(/\{(\d)\}/g, (_, place) => parts[place]);
  }

  buttons.forEach((button, answer) => button.addEventListener('click', () => {
    // start.js empties the sentence for the next person.
    if (said.textContent === '') [same, times].forEach((counts) => counts.fill(0));
    const report = Number(randomizer.report(table, answer));
    times[answer] += 1;
    same[answer] += report === answer ? 1 : 0;
    last = [answer, report];
    say();
  }));
  document.addEventListener('translated', () => { if (said.textContent !== '') say(); });
})();
