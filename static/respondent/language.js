// Changes the language without leaving the page, so that no answer is lost.
//
// The script fetches the page in the other language and replaces the texts. Both pages come from
// one template, so they have the same elements in the same order. Inputs stay as they are. Scripts
// write their own texts (data-live) again at the event "translated". If the other page cannot be
// fetched, or is a different page by now, nothing changes and the page says so.
'use strict';

(() => {
  const ATTRIBUTES = /^(lang|aria-label|title|href|data-.*)$/;
  // Elements that scripts use or people have opened. Only the texts within them are replaced.
  const FIXED = 'input, textarea, select, button, [id], [data-live], [data-language], ' +
    '[data-status], .error, details, fieldset, noscript';

  function fetched(address) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      // The scripts of a document that is fetched this way do not run.
      request.responseType = 'document';
      request.onload = () => (request.status === 200 && request.response
        ? resolve(request.response) : reject(new Error('No page.')));
      request.onerror = reject;
      request.open('GET', address);
      request.send();
    });
  }

  // All pairs of elements to change. It throws before anything has changed.
  function pairs(here, there) {
    if (here.tagName !== there.tagName || here.id !== there.id) throw new Error('Another page.');
    if (here.tagName === 'NOSCRIPT' || here.tagName === 'SCRIPT') return [];
    const own = [[here, there]];
    const inner = [...here.children];
    if (here.dataset.live !== undefined || !here.querySelector(FIXED)) return own;
    if (inner.length !== there.children.length) throw new Error('Another page.');
    return own.concat(...inner.map((child, place) => pairs(child, there.children[place])));
  }

  function replace([here, there]) {
    for (const { name, value } of there.attributes) {
      if (ATTRIBUTES.test(name)) here.setAttribute(name, value);
    }
    if (here.dataset.live !== undefined || here.querySelector(FIXED)) return;
    if (here.matches('input, textarea, select')) return;
    here.textContent = '';
    here.append(...[...there.childNodes].map((node) => document.importNode(node, true)));
  }

  async function change(link) {
    const other = await fetched(link.href);
    if (typeof questions === 'object') questions.shuffleAlike(other);
    pairs(document.body, other.body).forEach(replace);
    document.documentElement.lang = other.documentElement.lang;
    document.title = other.title;
    for (const each of document.querySelectorAll('[data-language]')) {
      if (each.href === link.href) each.setAttribute('aria-current', 'true');
      else each.removeAttribute('aria-current');
    }
    // A reload then stays in this language. A kiosk returns to the language of its link.
    if (!document.documentElement.hasAttribute('data-kiosk')) {
      history.replaceState(history.state, '', link.href + window.location.hash);
    }
    document.dispatchEvent(new Event('translated'));
  }

  for (const link of document.querySelectorAll('[data-language]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      const said = document.getElementById('unchanged');
      said.textContent = '';
      change(link).catch(() => { said.textContent = said.dataset.words; });
    });
  }
})();
