// The results page: search for a question, open all questions, print, download charts as PNG.
//
// The browser draws a PNG from the SVG file of the chart. Without this script, each question still
// opens, and the SVG files still work.
'use strict';

(() => {
  // A chart of 360 units becomes 1080 pixels wide.
  const SCALE = 3;

  // Show the questions with all typed words, of one section or of all. Without this script, all
  // questions are shown.
  const search = document.getElementById('search');
  if (search) {
    const sought = document.getElementById('sought');
    const section = document.getElementById('section');
    const found = document.getElementById('found');
    const noneFound = document.getElementById('none-found');
    const questions = [...document.querySelectorAll('#questions > .question-results')];
    const lines = [...document.querySelectorAll('.compared li[data-place]')];
    const plain = (text) => text.toLowerCase().normalize('NFC');
    const show = () => {
      const words = plain(sought.value).split(/\s+/).filter(Boolean);
      const fits = questions.map((question) => {
        const text = plain(question.dataset.words);
        return (!section?.value || question.dataset.section === section.value)
          && words.every((word) => text.includes(word));
      });
      questions.forEach((question, place) => { question.hidden = !fits[place]; });
      for (const line of lines) line.hidden = !fits[Number(line.dataset.place)];
      const shown = fits.filter(Boolean).length;
      const filtered = Boolean(words.length || section?.value);
      found.textContent = filtered
        ? found.dataset.words.replace('{0}', shown).replace('{1}', questions.length) : '';
      noneFound.hidden = shown > 0;
    };
    search.hidden = false;
    sought.addEventListener('input', show);
    section?.addEventListener('change', show);
    sought.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      document.querySelector('#questions > :not([hidden]) summary')?.focus();
    });
    document.getElementById('show-all').addEventListener('click', () => {
      sought.value = '';
      if (section) section.value = '';
      show();
      sought.focus();
    });
    // The browser may have kept the typed text
    show();
  }

  // Open and close all questions, and open them for printing
  const folds = [...document.querySelectorAll('.question-results details')];
  const all = document.getElementById('open-all');
  if (all && folds.length) {
    let opened = false;
    all.hidden = false;
    all.addEventListener('click', () => {
      opened = !opened;
      for (const fold of folds) fold.open = opened;
      all.textContent = opened ? all.dataset.close : all.dataset.open;
    });
  }
  let closed = [];
  window.addEventListener('beforeprint', () => {
    closed = folds.filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
  });
  window.addEventListener('afterprint', () => {
    for (const fold of closed) fold.open = false;
  });
  const print = document.getElementById('print');
  if (print) {
    print.hidden = false;
    print.addEventListener('click', () => { window.print(); });
  }

  // Draw the SVG file larger. Nothing leaves the browser.
  async function draw(button) {
    const image = new Image();
    image.src = button.dataset.png;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth * SCALE;
    canvas.height = image.naturalHeight * SCALE;
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((take) => { canvas.toBlob(take, 'image/png'); });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = button.dataset.name;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  for (const button of document.querySelectorAll('[data-png]')) {
    button.hidden = false;
    button.addEventListener('click', () => { draw(button); });
  }
})();
