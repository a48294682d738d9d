// The builder's small help: shows the fields that apply, and the odds per 100 as they change.
// The odds are computed by the server, from the same mechanisms that the survey will use.
'use strict';

(() => {
  const builder = document.getElementById('builder');
  const PAUSE = 250; // milliseconds after the last key
  const ASKED = [
    'type', 'choices', 'min', 'max', 'step', 'unit', 'privacy', 'gamma', 'epsilon', 'other',
    'relevant', 'otherwise',
  ];
  const PROTECTED = ['yes_no', 'select_one', 'select_multiple', 'scale', 'number'];

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
      if (!PROTECTED.includes(field('type').value)) {
        output.hidden = true;
        return;
      }
      const query = new URLSearchParams({ language: builder.elements.language.value });
      for (const name of ASKED) query.set(name, field(name).value);
      query.set('prefer_not_to_say', field('prefer_not_to_say').checked);
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

    // Which parts of the form apply to the chosen kind and protection
    function applies(part) {
      const type = field('type').value;
      if (part === 'choices') {
        return ['select_one', 'select_multiple', 'scale'].includes(type) ||
          (type === 'yes_no' && field('choices').value.trim() !== '');
      }
      if (part === 'number') return type === 'number';
      if (part === 'answered' || part === 'protected') return PROTECTED.includes(type);
      const chosen = field('privacy').value;
      return chosen === part || (part === 'epsilon' && chosen === 'mean');
    }

    function arrange() {
      for (const part of fieldset.querySelectorAll('[data-for]')) {
        part.hidden = !applies(part.dataset.for);
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
