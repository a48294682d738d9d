// The builder's small help: shows the fields that apply, and the odds per 100 as they change.
// The odds are computed by the server, from the same mechanisms that the survey will use.
'use strict';

(() => {
  const builder = document.getElementById('builder');
  const PAUSE = 250; // milliseconds after the last key

  // a second press while the first is on its way would be a second save
  builder.addEventListener('submit', (event) => {
    if (builder.dataset.sent) event.preventDefault();
    builder.dataset.sent = 'yes';
  });
  window.addEventListener('pageshow', () => { delete builder.dataset.sent; });

  for (const fieldset of builder.querySelectorAll('.question')) {
    const field = (name) => fieldset.querySelector(`[name$="-${name}"]`);
    const output = fieldset.querySelector('.preview-odds');
    let timer = null;
    let latest = 0;

    async function update() {
      const asked = (latest += 1);
      const query = new URLSearchParams({ language: builder.elements.language.value });
      for (const name of ['type', 'choices', 'privacy', 'gamma', 'epsilon', 'other']) {
        query.set(name, field(name).value);
      }
      let text;
      try {
        const response = await fetch(`${builder.dataset.odds}?${query}`, { cache: 'no-store' });
        const { error, sentences, epsilon } = await response.json();
        text = error ? [error] : [...sentences, ...(epsilon ? [`ε = ${epsilon}`] : [])];
      } catch {
        text = ['The odds cannot be shown just now.'];
      }
      if (asked !== latest) return; // a later change is on its way
      output.replaceChildren(...text.map((line) => {
        const paragraph = document.createElement('p');
        paragraph.textContent = line;
        return paragraph;
      }));
      output.hidden = false;
    }

    function arrange() {
      for (const part of fieldset.querySelectorAll('[data-for]')) {
        const kind = part.dataset.for;
        part.hidden = kind === 'select_one'
          ? field('type').value === 'yes_no' && !field('choices').value.trim()
          : field('privacy').value !== kind;
      }
    }

    fieldset.addEventListener('input', () => {
      arrange();
      clearTimeout(timer);
      timer = setTimeout(update, PAUSE);
    });
    arrange();
    update();
  }
})();
