// Fills the placeholders of the completion link from the part of the address behind #.
//
// Browsers do not send that part, so the server never learns the parameters, such as the id that a
// panel gives each participant. They stay in the address, and nothing here stores them. Each value
// is encoded, and the definition's parser allows placeholders only behind the name of the site. So
// no value can lead to another site.
'use strict';

(() => {
  const link = document.getElementById('complete');
  // Few surveys have a link.
  if (!link) return;
  const parameters = new URLSearchParams(window.location.hash.slice(1));
  const fill = () => {
    link.href = link.dataset.link.replace(/\{(\w+)\}/g,
      (_, name) => encodeURIComponent(parameters.get(name) ?? ''));
  };
  fill();
  document.addEventListener('translated', fill);
})();
