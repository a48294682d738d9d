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

  // The browser writes "26 tháng 11, 2026" in Vietnamese, and survey/formats/field_days.py writes
  // "26 tháng 11 năm 2026".
  function moment(end) {
    const parts = words.formatToParts(end);
    return parts.map(({ type, value }, place) => {
      const beforeYear = type === 'literal' && parts[place + 1] && parts[place + 1].type === 'year';
      return beforeYear && document.documentElement.lang.startsWith('vi') ? ' năm ' : value;
    }).join('');
  }

  function show(place, day) {
    const end = new Date(`${day}T24:00:00Z`);
    place.hidden = Number.isNaN(end.getTime()) || end.getTimezoneOffset() === 0;
    place.textContent = place.hidden ? '' : window.translate(
      'In your time zone: %(moment)s.', { moment: moment(end) },
    );
  }

  for (const place of document.querySelectorAll('[data-end-of]')) show(place, place.dataset.endOf);
  const field = document.getElementById('last_day');
  const below = document.getElementById('last_day-here');
  if (!field || !below) return;
  field.addEventListener('input', () => show(below, field.value));
  show(below, field.value);
})();
