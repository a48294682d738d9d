// Numbers as people type and read them, with the digits of their keyboards and a comma or a point,
// and as steps from the lowest answer, as tables need them.
'use strict';

const numbers = (() => {
  // Reads a typed number: also full-width and Thai digits, a decimal comma, a minus sign or a dash.
  // It is NaN for an invalid or ambiguous number. Some people read 1,000 as a thousand.
  function typed(text) {
    const plain = text.normalize('NFKC').replace(/\s/g, '')
      .replace(/[\u0e50-\u0e59]/g, (digit) => digit.charCodeAt(0) - 0x0e50)
      .replace(/^[\u2212\u2013]/, '-');
    const pointed = plain.includes('.') ? plain : plain.replace(',', '.');
    if (/^[+-]?[1-9]\d{0,2}\.\d\d0$/.test(pointed)) return NaN;
    return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(pointed) ? Number(pointed) : NaN;
  }

  // The number of steps above the minimum; null if the value is not a possible answer.
  function steps({ min, max, step }, value) {
    const place = Math.round((value - min) / step);
    const last = Math.round((max - min) / step);
    const fits = Math.abs(min + place * step - value) < step * 1e-6 && place >= 0 && place <= last;
    return fits ? place : null;
  }

  // The number in the page's language, with a true minus sign. -0 becomes 0.
  const written = (value) => new Intl.NumberFormat(document.documentElement.lang,
    { useGrouping: false, maximumFractionDigits: 12 }).format(Number(value) + 0)
    .replace('-', '\u2212');

  return Object.freeze({ steps, typed, written });
})();
