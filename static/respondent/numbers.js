// Numbers as people type and read them: with the digits of their keyboards, and a comma or a point;
// and as steps from the lowest answer, which is what tables know.
'use strict';

const numbers = (() => {
  // As it is typed: full-width and Thai digits too, a decimal comma, a minus sign or a dash.
  // NaN where it is no number, or might be read as another one: 1,000 is a thousand to some
  function typed(text) {
    const plain = text.normalize('NFKC').replace(/\s/g, '')
      .replace(/[\u0e50-\u0e59]/g, (digit) => digit.charCodeAt(0) - 0x0e50)
      .replace(/^[\u2212\u2013]/, '-');
    const pointed = plain.includes('.') ? plain : plain.replace(',', '.');
    if (/^[+-]?[1-9]\d{0,2}\.\d\d0$/.test(pointed)) return NaN;
    return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(pointed) ? Number(pointed) : NaN;
  }

  // How many steps above the minimum; null where no such value can be answered
  function steps({ min, max, step }, value) {
    const place = Math.round((value - min) / step);
    const last = Math.round((max - min) / step);
    const fits = Math.abs(min + place * step - value) < step * 1e-6 && place >= 0 && place <= last;
    return fits ? place : null;
  }

  // As the page's language writes it, with a true minus sign; 0 where somebody typed -0
  const written = (value) => new Intl.NumberFormat(document.documentElement.lang,
    { useGrouping: false, maximumFractionDigits: 12 }).format(Number(value) + 0)
    .replace('-', '\u2212');

  return Object.freeze({ steps, typed, written });
})();
