// The last day of a survey ends at 24:00 UTC. This script adds that moment in the time zone of the
// browser: next to the last day, and below its field. Without this script, the page shows only UTC.
'use strict';

(() => {
  const words = new Intl.DateTimeFormat(document.documentElement.lang, {
    calendar: 'gregory',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  });

  function show(place, day) {
    const end = new Date(`${day}T24:00:00Z`);
    place.hidden = Number.isNaN(end.getTime()) || end.getTimezoneOffset() === 0;
    place.textContent = place.hidden ? '' : window.translate(
      'In your time zone: %(moment)s.', { moment: words.format(end) },
    );
  }

  for (const place of document.querySelectorAll('[data-end-of]')) show(place, place.dataset.endOf);
  const field = document.getElementById('last_day');
  const below = document.getElementById('last_day-here');
  if (!field || !below) return;
  field.addEventListener('input', () => show(below, field.value));
  show(below, field.value);
})();
