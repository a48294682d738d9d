// Unsaved changes of a researcher, kept in this browser. A lost connection, an expired session or a
// closed tab then loses nothing. They are texts of the survey, never answers. The browser deletes
// them when the draft is saved or discarded, and at sign-out.
'use strict';

(() => {
  const PREFIX = 'candor-draft ';
  // Milliseconds after the last key
  const PAUSE = 400;
  const form = document.querySelector('form[data-draft]');
  // Fields of the page, not of the draft
  const OWN = /^(csrf_token|preview_language)$/;
  const SAVING = ['save', 'close', 'save-copy'];
  const drafts = {
    read(key) {
      try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
    },
    write(key, entry) {
      try {
        localStorage.setItem(key, JSON.stringify(entry));
      } catch { /* Storage is blocked or full. */ }
    },
    forget(key) {
      try { localStorage.removeItem(key); } catch { /* Blocked storage holds nothing. */ }
    },
    keys() {
      try { return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)); }
      catch { return []; }
    },
  };

  // The form's fields as [name, value], as typed or as the server sent them
  function fields(sent = false) {
    const found = [];
    for (const element of form.elements) {
      const { name, type } = element;
      if (!name || OWN.test(name) || type === 'submit' || type === 'file') continue;
      if (type === 'checkbox' || type === 'radio') {
        if (sent ? element.defaultChecked : element.checked) found.push([name, element.value]);
      } else if (type === 'select-one' && sent) {
        const options = [...element.options];
        found.push([name, (options.find((each) => each.defaultSelected) ?? options[0])?.value]);
      } else {
        found.push([name, sent && type !== 'hidden' ? element.defaultValue : element.value]);
      }
    }
    return found;
  }

  // Put values into the form. The events let other scripts arrange its parts before and after.
  function fill(found) {
    form.dispatchEvent(new CustomEvent('filling', { detail: found }));
    const values = new Map();
    for (const [name, value] of found) values.set(name, [...values.get(name) ?? [], value]);
    for (const element of form.elements) {
      const { name, type } = element;
      if (!name || OWN.test(name) || type === 'submit' || type === 'file') continue;
      const typed = values.get(name) ?? [];
      if (type === 'checkbox' || type === 'radio') element.checked = typed.includes(element.value);
      else if (typed.length) element.value = typed.shift();
    }
    form.dispatchEvent(new CustomEvent('filled'));
    form.dispatchEvent(new Event('input', { bubbles: true }));
  }

  function keep() {
    const own = `${PREFIX}${form.dataset.account} `;
    const draft = form.dataset.draft || 'new';
    const key = own + (draft === 'new' ? `new ${Date.now()}` : draft);
    const page = new URL(form.action).pathname; // where it is saved, and can be typed on
    const first = JSON.stringify(fields(true));
    const unsaved = 'unsaved' in form.dataset; // what was sent came back
    const notice = document.getElementById('unsaved');
    let timer = null;
    let leaving = false;
    let kept = true;

    const dirty = () => unsaved || JSON.stringify(fields()) !== first;
    function store(sent = false) {
      clearTimeout(timer);
      if (!kept) return;
      if (dirty()) {
        const title = form.elements.title?.value || document.title;
        drafts.write(key, { at: Date.now(), title, page, sent, fields: fields() });
      } else if (notice.hidden) drafts.forget(key); // Otherwise the notice still offers it
    }

    const candidates = drafts.keys()
      .filter((each) => (draft === 'new' ? each.startsWith(`${own}new `) : each === key))
      .map((each) => [each, drafts.read(each)])
      .filter(([, entry]) => entry?.fields && entry.page === page)
      .sort(([, one], [, other]) => other.at - one.at);
    const [offered] = candidates;
    if (offered && !unsaved && JSON.stringify(offered[1].fields) !== first) {
      const { lang } = document.documentElement;
      const time = new Date(offered[1].at).toLocaleString(lang === 'en' ? 'en-GB' : lang);
      notice.querySelector('p').textContent = translate(
        'This browser has unsaved changes from %(time)s.', { time });
      notice.hidden = false;
    }
    function restore() {
      notice.hidden = true;
      fill(offered[1].fields);
      if (offered[0] !== key) drafts.forget(offered[0]);
      store();
      form.querySelector('[name="title"], textarea, input:not([type="hidden"])')?.focus();
    }
    notice.querySelector('[data-restore]').addEventListener('click', restore);
    // The link of the list of surveys, which people follow after they signed in again.
    if (window.location.hash === '#restore') {
      window.history.replaceState(null, '', window.location.pathname);
      if (!notice.hidden) restore();
    }
    notice.querySelector('[data-forget]').addEventListener('click', () => {
      notice.hidden = true;
      drafts.forget(offered[0]);
      store();
    });
    document.querySelector('[data-discard]')?.addEventListener('click', () => {
      kept = false;
      leaving = true;
      drafts.forget(key);
    });

    form.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(store, PAUSE);
    });
    form.addEventListener('submit', (event) => {
      if (event.defaultPrevented) return;
      store(SAVING.includes(event.submitter?.value ?? 'save'));
      leaving = navigator.onLine; // Offline, builder.js does not send it
    });
    window.addEventListener('pageshow', () => { leaving = false; });
    window.addEventListener('pagehide', () => { if (!leaving) store(); });
    window.addEventListener('beforeunload', (event) => {
      if (!leaving && dirty()) event.preventDefault();
    });
    document.getElementById('sign-out')?.addEventListener('submit', () => { kept = false; });
    document.addEventListener('keydown', (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
      event.preventDefault();
      form.requestSubmit(form.querySelector('.saving [value="save"]'));
    });
  }

  // The server's message confirms that the last request was saved
  if (document.querySelector('[data-saved]')) {
    drafts.keys().filter((key) => drafts.read(key)?.sent).forEach(drafts.forget);
  }
  document.getElementById('sign-out')?.addEventListener('submit', () => {
    drafts.keys().forEach(drafts.forget);
    try { sessionStorage.removeItem('candor-builder'); } catch { /* See restore.js. */ }
  });

  // On the list of surveys: links to drafts with unsaved changes, and buttons to discard these
  function offer(list) {
    const drafting = new Set(list.dataset.drafts.split(' '));
    const entries = list.querySelector('ul');
    for (const key of drafts.keys()) {
      const entry = drafts.read(key);
      if (!entry?.page || !key.startsWith(`${PREFIX}${list.dataset.account} `)) continue;
      const slug = /\/surveys\/([^/]+)\/(?:edit|translations)/.exec(entry.page)?.[1];
      if (slug && !drafting.has(slug)) continue;
      const [item, link, button] = ['li', 'a', 'button'].map((tag) => document.createElement(tag));
      Object.assign(link, { href: `${entry.page}#restore`, textContent: entry.title });
      Object.assign(button, {
        type: 'button', className: 'small', textContent: translate('Discard'),
      });
      button.setAttribute('aria-label', translate('Discard the unsaved changes to “%(title)s”', {
        title: entry.title,
      }));
      button.addEventListener('click', () => {
        drafts.forget(key);
        item.remove();
        list.hidden = !entries.children.length;
        (entries.querySelector('button') ?? document.querySelector('main a'))?.focus();
      });
      item.append(link, ' ', button);
      entries.append(item);
    }
    list.hidden = !entries.children.length;
  }
  const list = document.querySelector('[data-unsaved-list]');
  if (list) offer(list);
  if (form) keep();
})();
