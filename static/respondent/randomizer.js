// Candor's randomizer: turns an answer into a report, in the respondent's browser.
//
// A table holds whole numbers; every row has the same total; rows[x][y] / total is exactly the
// chance that answer x is reported as y. Where one table would be too large, `kind` says how the
// report is made of bits. The only randomness is crypto.getRandomValues (W3C Web Cryptography,
// section 10.1.1); without it nothing works, and there is no fallback. Sampling uses whole numbers
// below 2^53 only, hence is exact. How many words are drawn does not depend on the answer.
// This file is pure: it knows no page, no network and no storage. The served file is the source;
// SECURITY.md has its SHA-256.
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

  const sound = (holds) => { if (!holds) throw new RangeError('This is no table.'); };

  // 1e-12 allows for the last digit of Math.log, which engines may round differently
  function limited(loss, stated) {
    if (!Number.isFinite(stated) || !(loss <= stated + 1e-12)) {
      throw new RangeError('This protects less than the page states.');
    }
  }

  // Throws unless the rows are a table whose loss is not above the stated one
  function check(rows, stated) {
    sound(rows.length > 1 && rows[0].length > 1 && rows.every((row) =>
      row.length === rows[0].length && total(row) === total(rows[0]) &&
      row.every((entry) => Number.isSafeInteger(entry) && entry >= 0)));
    sound(total(rows[0]) <= WORDS);
    limited(epsilon(rows), stated);
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

  // Which `size` of `count` things: every such set is equally likely (Knuth's algorithm S, which
  // draws a word for each thing, whatever comes out)
  function pick(count, size, draw = word, words = WORDS) {
    let missing = size;
    return Array.from({ length: count }, (_, place) => {
      const taken = below(count - place, draw, words) < missing;
      if (taken) missing -= 1;
      return taken;
    });
  }

  // A number's point below or above it, so that the mean stays right: `steps` from the lowest
  // value, points `width` steps apart
  const round = (steps, width, draw = word, words = WORDS) =>
    Math.floor(steps / width) + (below(width, draw, words) < steps % width ? 1 : 0);

  // `check` for whatever reports are drawn with: a plain table, or one of the three made of bits
  function verify({ kind, rows, answers, size, near, far, sample }, stated) {
    const upTo = (value, most) => Number.isSafeInteger(value) && value >= 1 && value <= most;
    check(kind === 'subset' ? [[near, far], [far, near]] : rows, stated);
    if (kind === 'subset') {
      sound(upTo(size, answers.length - 1));
      sound(size * near + (answers.length - size) * far <= WORDS);
    } else if (kind !== undefined) {
      sound(rows.length === 2 && rows[0].length === 2);
      if (kind === 'boxes') {
        sound(upTo(sample, answers.length));
        limited(sample * epsilon(rows), stated); // every box that is reported may differ
      } else {
        sound(kind === 'unary');
        // two answers differ in two bits, one set here and one there: both losses add up
        const logs = rows[0].map((entry, y) => Math.log(entry / rows[1][y]));
        limited(Math.max(...logs) - Math.min(...logs), stated);
      }
    }
  }

  // The report as it is sent, equally long whatever the answer: for a plain table the number of
  // the column, else a character for each bit. `answer` is a row; for boxes, true for each ticked
  function report(table, answer, draw = word, words = WORDS) {
    const { kind, rows, answers, size, near, far, sample } = table;
    const bit = (set) => 1 - randomize(rows, set ? 0 : 1, draw, words);
    if (kind === 'boxes') {
      return pick(answers.length, sample, draw, words)
        .map((taken, box) => (taken ? bit(answer[box]) : '-')).join('');
    }
    if (kind === 'unary') return answers.map((_, choice) => bit(choice === answer)).join('');
    if (kind === 'subset') {
      const inside = 1 - randomize([[size * near, (answers.length - size) * far]], 0, draw, words);
      const others = pick(answers.length - 1, size - inside, draw, words).map(Number);
      others.splice(answer, 0, inside);
      return others.join('');
    }
    const last = String(rows[0].length - 1);
    return String(randomize(rows, answer, draw, words)).padStart(last.length, '0');
  }

  return Object.freeze({ check, epsilon, identifier, pick, randomize, report, round, verify });
})();
