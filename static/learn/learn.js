// A lesson: the server calculates all numbers again when a control changes.
//
// The script fetches the page with the new values in its address, and copies the parts that
// changed. It also writes the values into the address of the page, so that a link or a reload shows
// the same numbers. Without this script, the button "Update" does the same.
'use strict';

(() => {
  const form = document.getElementById('lesson');
  const notebook = document.getElementById('notebook');
  const said = document.getElementById('said');
  let running = false;
  let waiting = null;

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

  const query = (more = {}) => {
    const values = new URLSearchParams(new FormData(form));
    for (const [name, value] of [...values]) if (!value) values.delete(name, value);
    for (const [name, value] of Object.entries(more)) values.set(name, value);
    return values;
  };

  function copy(page) {
    for (const here of form.querySelectorAll('[data-replaced]')) {
      const there = page.getElementById(here.id);
      here.className = there.className;
      const nodes = [...there.childNodes].map((node) => document.importNode(node, true));
      const same = here.textContent === there.textContent && here.id !== 'shown';
      if (!same) here.replaceChildren(...nodes);
    }
    for (const here of form.querySelectorAll('input[type=hidden]')) {
      here.value = page.querySelector(`#lesson input[name=${here.name}]`).value;
    }
  }

  // A typed value would hide the new draw.
  function emptyFields() {
    for (const field of form.querySelectorAll('.controls input[type=text]')) field.value = '';
  }

  function followSliders(page) {
    for (const slider of form.querySelectorAll('input[type=range]')) {
      const there = page.getElementById(slider.id);
      if (there.value !== slider.value) continue;
      slider.setAttribute('aria-valuetext', there.getAttribute('aria-valuetext'));
      slider.nextElementSibling.textContent = there.nextElementSibling.textContent;
    }
  }

  function writeAddress() {
    const values = query();
    window.history.replaceState(null, '', `?${values}`);
    const own = [...values].filter(([name]) => !name.startsWith('answer-'));
    const settings = new URLSearchParams(own);
    notebook.href = `${notebook.dataset.address.split('?')[0]}?${settings}`;
    for (const link of document.querySelectorAll('.languages a')) {
      settings.set('language', link.dataset.language);
      link.href = `?${settings}`;
    }
  }

  async function update(more) {
    // One request at a time: the newest values wait for the reply.
    if (running) {
      waiting = more;
      return;
    }
    running = true;
    try {
      const page = await fetched(`${form.action}?${query(more)}`);
      copy(page);
      if (more.again) emptyFields();
      followSliders(page);
      writeAddress();
    } catch {
      said.textContent = form.dataset.failed;
    }
    running = false;
    if (waiting) {
      const next = waiting;
      waiting = null;
      update(next);
    }
  }

  form.querySelector('.update')?.setAttribute('hidden', '');
  form.addEventListener('input', (event) => {
    if (!event.target.name.startsWith('answer-')) update({});
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { submitter } = event;
    update(submitter?.name ? { [submitter.name]: submitter.value } : {});
  });
})();
