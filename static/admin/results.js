// The results page: search for a question, and download charts as PNG.
//
// The browser draws a PNG from the SVG file of the chart. Without this script, the list of
// questions and the SVG files still work.
'use strict';

(() => {
  // A chart of 360 units becomes 1080 pixels wide.
  const SCALE = 3;

  // Search
  const search = document.getElementById('search');
  if (search) {
    const sought = document.getElementById('sought');
    const found = document.getElementById('found');
    const entries = [...document.querySelectorAll('.jump li')];
    const sections = [...document.querySelectorAll('.question-results')]
      .slice(0, entries.length);
    const words = (element) => element.dataset.words.toLowerCase().normalize('NFC');
    const show = () => {
      const wanted = sought.value.trim().toLowerCase().normalize('NFC');
      const fits = entries.map((entry) => words(entry).includes(wanted));
      entries.forEach((entry, place) => { entry.hidden = !fits[place]; });
      sections.forEach((section, place) => { section.hidden = !fits[place]; });
      found.textContent = wanted && found.dataset.words
        .replace('{0}', fits.filter(Boolean).length).replace('{1}', entries.length);
    };
    search.hidden = false;
    sought.addEventListener('input', show);
    sought.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      document.querySelector('.jump li:not([hidden]) a')?.focus();
    });
    // The browser may have kept the typed text
    show();
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
