// The sentences of the researcher's scripts in the language of the page. `make translations` finds
// each call of `translate`, whose first argument is an English sentence with places such as %(n)s.
'use strict';

(() => {
  const found = document.getElementById('translations');
  const texts = found ? JSON.parse(found.textContent) : {};
  window.translate = (sentence, values = {}) => (texts[sentence] || sentence)
    .replace(/%\((\w+)\)s|%%/g, (place, name) => (name ? values[name] : '%'));
})();
