// Moves a question by its handle: with a mouse, a finger or a pen, or with the arrow keys.
//
// While a question is dragged, all questions are folded, so that the way is short, and a line shows
// where it will be. The list changes once, at the end, so Undo takes back the whole move.
'use strict';

(() => {
  const list = document.getElementById('list');
  const { all, move } = builderQuestions;
  // Pixels from the edge of the window, within which the page scrolls
  const EDGE = 60;
  const STEP = 12;
  let drag = null;

  // The place of the dragged question if it were dropped now
  function target() {
    const others = all().filter((each) => each !== drag.question);
    const below = others.findIndex((each) => {
      const { top, height } = each.getBoundingClientRect();
      return drag.y < top + height / 2;
    });
    return below < 0 ? others.length : below;
  }

  function mark() {
    const others = all().filter((each) => each !== drag.question);
    drag.to = target();
    others.forEach((each, at) => {
      each.classList.toggle('drop-before', at === drag.to);
      each.classList.toggle('drop-after', at === drag.to - 1 && drag.to === others.length);
    });
  }

  function scroll() {
    if (!drag) return;
    const bottom = document.querySelector('.saving').getBoundingClientRect().top;
    const step = drag.y < EDGE ? -STEP : drag.y > bottom - EDGE ? STEP : 0;
    if (step) {
      window.scrollBy(0, step);
      mark();
    }
    drag.frame = requestAnimationFrame(scroll);
  }

  // Folding changes where the question is, so the page scrolls to keep it under the pointer
  function fold(question, how) {
    const before = question.getBoundingClientRect().top;
    list.classList.toggle('dragging', how);
    question.classList.toggle('dragged', how);
    window.scrollBy(0, question.getBoundingClientRect().top - before);
  }

  function begin(event) {
    const handle = event.target.closest('[data-drag]');
    if (!handle || event.button !== 0 || all().length < 2) return;
    event.preventDefault();
    handle.focus();
    handle.setPointerCapture(event.pointerId);
    const question = handle.closest('.question');
    drag = { handle, question, y: event.clientY, to: all().indexOf(question) };
    fold(question, true);
    mark();
    drag.frame = requestAnimationFrame(scroll);
  }

  function end(dropped) {
    if (!drag) return;
    const { frame, handle, question, to } = drag;
    drag = null;
    cancelAnimationFrame(frame);
    for (const each of all()) each.classList.remove('drop-before', 'drop-after');
    if (dropped) move(question, to);
    fold(question, false);
    handle.focus({ preventScroll: true });
    question.scrollIntoView({ block: 'nearest' });
  }

  list.addEventListener('pointerdown', begin);
  list.addEventListener('pointermove', (event) => {
    if (!drag) return;
    drag.y = event.clientY;
    mark();
  });
  list.addEventListener('pointerup', () => end(true));
  list.addEventListener('pointercancel', () => end(false));
  list.addEventListener('lostpointercapture', () => end(false));
  document.addEventListener('keydown', (event) => {
    if (drag && event.key === 'Escape') {
      event.preventDefault();
      end(false);
      return;
    }
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const handle = event.target.closest?.('[data-drag]');
    if (drag || !handle || !step) return;
    event.preventDefault();
    const question = handle.closest('.question');
    const to = all().indexOf(question) + step;
    if (to < 0 || to >= all().length) return;
    move(question, to);
    handle.focus();
  });
})();
