// Candor's randomizer: turns an answer into a report, in the respondent's browser.
//
// A table holds whole numbers; every row has the same total; rows[x][y] / total is exactly the
// chance that answer x is reported as y. The only randomness is crypto.getRandomValues (W3C Web
// Cryptography, section 10.1.1); without it nothing works, and there is no fallback. Sampling
// uses whole numbers below 2^53 only, so nothing is rounded. This file is pure: it knows no page,
// no network and no storage. The served file is the source; its SHA-256 stands in the README.
'use strict';

const randomizer = (() => {
  const WORDS = 2 ** 32; // values of one random 32-bit word
  const source = globalThis.crypto;

  function bytes(array) {
    if (typeof source?.getRandomValues !== 'function') throw new Error('No secure randomness.');
    return source.getRandomValues(array);
  }

  const word = () => bytes(new Uint32Array(1))[0];

  // 128 random bits in hexadecimal, the id of a response
  const identifier = () =>
    Array.from(bytes(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

  const total = (row) => row.reduce((sum, entry) => sum + entry, 0);

  // A whole number below n, each equally likely: words past the last multiple of n are redrawn
  function below(n, draw = word, words = WORDS) {
    const limit = words - (words % n);
    let value = draw();
    while (value >= limit) value = draw();
    return value % n;
  }

  // Privacy loss: the log of the largest ratio within a column; infinite beside a zero
  const epsilon = (rows) => Math.max(...rows[0].map((_, y) => {
    const column = rows.map((row) => row[y]);
    return Math.log(Math.max(...column) / Math.min(...column));
  }));

  // Throws unless the rows are a table whose loss is not above the stated one; 1e-12 allows for
  // the last digit of Math.log, which engines may round differently
  function check(rows, stated) {
    const sound = rows.length > 1 && rows[0].length > 1 && rows.every((row) =>
      row.length === rows[0].length && total(row) === total(rows[0]) &&
      row.every((entry) => Number.isSafeInteger(entry) && entry >= 0));
    if (!sound || total(rows[0]) > WORDS) throw new RangeError('This is no table.');
    if (!Number.isFinite(stated) || !(epsilon(rows) <= stated + 1e-12)) {
      throw new RangeError('This table protects less than the page states.');
    }
  }

  // The report for an answer: draw a ticket, then walk the answer's row to where it falls
  function randomize(rows, answer, draw = word, words = WORDS) {
    let ticket = below(total(rows[answer]), draw, words);
    let report = 0;
    while (ticket >= rows[answer][report]) {
      ticket -= rows[answer][report];
      report += 1;
    }
    return report;
  }

  return Object.freeze({ check, epsilon, identifier, randomize });
})();
