// The page of a class: after each batch, after a choice and after the hands are counted, the script
// sends the form and copies the parts that changed. The page itself keeps what it has seen, in a
// hidden field, because the server stores no order of responses. Without this script, the button
// "Update" does the same.
'use strict';

(() => {
  const form = document.getElementById('class');
  const said = document.getElementById('said');
  const monitor = document.getElementById('monitor');
  let running = false;
  let again = false;

  function posted() {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      // The scripts of a document that is fetched this way do not run.
      request.responseType = 'document';
      // The status is 422 if a number is wrong. A sign-in page has no such form.
      request.onload = () => (request.response?.getElementById('class')
        ? resolve(request.response) : reject(new Error('no page')));
      request.onerror = reject;
      request.open('POST', form.action);
      request.send(new FormData(form));
    });
  }

  function copy(page) {
    for (const here of form.querySelectorAll('[data-replaced]')) {
      const nodes = page.getElementById(here.id).childNodes;
      here.replaceChildren(...[...nodes].map((node) => document.importNode(node, true)));
    }
    for (const here of form.querySelectorAll('input[type=hidden]')) {
      here.value = page.querySelector(`#class input[name=${here.name}]`).value;
    }
  }

  async function update() {
    // One request at a time: a change in the meantime sends the form once more.
    again = running;
    if (running) return;
    running = true;
    try {
      copy(await posted());
      said.textContent = '';
    } catch {
      said.textContent = form.dataset.failed;
    }
    running = false;
    if (again) update();
  }

  form.querySelector('.update')?.setAttribute('hidden', '');
  form.addEventListener('change', update);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    update();
  });
  monitor?.addEventListener('published', update);
})();
