// The page of texts: keys for coding, and a question before codes are lost that were not saved.
//
// Without this script, the checkboxes and buttons work as in any form.
'use strict';

(() => {
  const form = document.getElementById('coding');
  const keys = document.getElementById('keys');
  if (!form || !keys) return;
  const texts = [...form.querySelectorAll('.written')];
  const boxesOf = (text) => [...text.querySelectorAll('input[type=checkbox]')];
  let saved = true;

  keys.hidden = false;
  for (const key of form.querySelectorAll('kbd')) key.hidden = false;

  // "No code fits" and the codes exclude each other.
  const note = (box) => {
    saved = false;
    if (!box.checked) return;
    const boxes = boxesOf(box.closest('.written'));
    const none = boxes[boxes.length - 1];
    for (const other of boxes) {
      if (other !== box && (other === none || box === none)) other.checked = false;
    }
  };
  form.addEventListener('change', (event) => { note(event.target); });

  form.addEventListener('keydown', (event) => {
    const text = event.target.closest('.written');
    if (!text || event.ctrlKey || event.altKey || event.metaKey) return;
    const boxes = boxesOf(text);
    const none = boxes[boxes.length - 1];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const next = texts[texts.indexOf(text) + (event.key === 'ArrowDown' ? 1 : -1)];
      if (!next) return;
      event.preventDefault();
      boxesOf(next)[0].focus({ preventScroll: true });
      next.scrollIntoView({ block: 'nearest' });
    } else if (/^[0-9]$/.test(event.key)) {
      const place = Number(event.key);
      const box = place === 0 ? none : boxes[place - 1];
      if (!box || (place !== 0 && box === none)) return;
      event.preventDefault();
      box.checked = !box.checked;
      box.focus();
      note(box);
    }
  });

  form.addEventListener('submit', () => { saved = true; });
  window.addEventListener('beforeunload', (event) => {
    if (!saved) event.preventDefault();
  });
})();
