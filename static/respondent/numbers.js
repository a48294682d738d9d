// Numbers as people type and read them, with the digits of their keyboards and a comma or a point,
// and as steps from the lowest answer, as tables need them.
'use strict';

const numbers = (() => {
  // Reads a typed number: also full-width and Thai digits, a decimal comma, a minus sign or a dash.
  // It is NaN for an invalid or ambiguous number. Some people read 1,000 as a thousand. In a
  // question with thousands, 1,255 is ambiguous too: it would be rounded to 1 otherwise.
  function typed(text, { min, max, step }) {
    const pointed = plain(text).replace(',', '.');
    const thousands = Math.max(-min, max) >= 1000 && step >= 0.01;
    const ambiguous = thousands ? /^[+-]?[1-9]\d{0,2}\.\d{3}$/ : /^[+-]?[1-9]\d{0,2}\.\d\d0$/;
    if (ambiguous.test(pointed)) return NaN;
    return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(pointed) ? Number(pointed) : NaN;
  }

  const plain = (text) => text.normalize('NFKC').replace(/\s/g, '')
    .replace(/[\u0e50-\u0e59]/g, (digit) => digit.charCodeAt(0) - 0x0e50)
    .replace(/^[\u2212\u2013]/, '-');

  // Whether the text looks like a number with a mark between its thousands.
  const grouped = (text) => /^[+-]?\d{1,3}([.,]\d{3})+([.,]\d*)?$/.test(plain(text));

  // The nearest possible answer in steps above the minimum; null if the value is out of range.
  function steps({ min, max, step }, value) {
    return value >= min && value <= max ? Math.round((value - min) / step) : null;
  }

  // The value of an answer in steps above the minimum, without the error of floating point.
  const valueAt = ({ min, step }, place) => Number((min + place * step).toPrecision(12));

  // The number in the page's language, with a true minus sign. -0 becomes 0.
  const written = (value) => new Intl.NumberFormat(document.documentElement.lang,
    { useGrouping: false, maximumFractionDigits: 12 }).format(Number(value) + 0)
    .replace('-', '\u2212');

  return Object.freeze({ grouped, steps, typed, valueAt, written });
})();
