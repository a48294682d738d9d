// Candor's randomizer: turns an answer into a report, in the respondent's browser.
//
// A table holds whole numbers, and all its rows have the same total. rows[x][y] / total is exactly
// the probability that answer x gives report y. If one table would be too large, `kind` says how to
// make a report of bits. The only randomness is crypto.getRandomValues (W3C Web Cryptography,
// section 10.1.1), without a fallback. Sampling uses only whole numbers below 2^53, so it is exact.
// The number of words drawn does not depend on the answer. This file uses no page, no network and
// no storage. SECURITY.md lists its SHA-256.
'use strict';

const randomizer = (() => {
  // The values of a 32-bit word.
  const WORDS = 2 ** 32;
  const source = globalThis.crypto;

  function bytes(array) {
    if (typeof source?.getRandomValues !== 'function') throw new Error('No secure randomness.');
    return source.getRandomValues(array);
  }

  const word = () => bytes(new Uint32Array(1))[0];

  // The id of a response: 128 random bits in hexadecimal.
  const identifier = () =>
    Array.from(bytes(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

  const total = (row) => row.reduce((sum, entry) => sum + entry, 0);

  // A whole number below n, each equally likely: words above the last multiple are drawn again.
  function below(n, draw = word, words = WORDS) {
    const limit = words - (words % n);
    let value = draw();
    while (value >= limit) value = draw();
    return value % n;
  }

  // The privacy loss: the log of the largest ratio within a column. A zero makes it infinite.
  const epsilon = (rows) => Math.max(...rows[0].map((_, y) => {
    const column = rows.map((row) => row[y]);
    return Math.log(Math.max(...column) / Math.min(...column));
  }));

  const sound = (holds) => { if (!holds) throw new RangeError('This is no table.'); };

  // 1e-12 allows for engines that round Math.log differently.
  function limited(loss, stated) {
    if (!Number.isFinite(stated) || !(loss <= stated + 1e-12)) {
      throw new RangeError('This protects less than the page states.');
    }
  }

  // Throws unless the rows are a table whose privacy loss is at most the stated one.
  function check(rows, stated) {
    sound(rows.length > 1 && rows[0].length > 1 && rows.every((row) =>
      row.length === rows[0].length && total(row) === total(rows[0]) &&
      row.every((entry) => Number.isSafeInteger(entry) && entry >= 0)));
    sound(total(rows[0]) <= WORDS);
    limited(epsilon(rows), stated);
  }

  // The report for an answer: draws a ticket and finds its column in the answer's row.
  function randomize(rows, answer, draw = word, words = WORDS) {
    let ticket = below(total(rows[answer]), draw, words);
    let report = 0;
    while (ticket >= rows[answer][report]) {
      ticket -= rows[answer][report];
      report += 1;
    }
    return report;
  }

  // Picks `size` of `count` things, with every such set equally likely. Knuth's algorithm S draws
  // one number for each thing, whatever the result.
  function pick(count, size, draw = word, words = WORDS) {
    let missing = size;
    return Array.from({ length: count }, (_, place) => {
      const taken = below(count - place, draw, words) < missing;
      if (taken) missing -= 1;
      return taken;
    });
  }

  // Rounds a number, `steps` above the lowest, to levels `width` apart, and keeps its mean.
  const round = (steps, width, draw = word, words = WORDS) =>
    Math.floor(steps / width) + (below(width, draw, words) < steps % width ? 1 : 0);

  // Checks a table of any kind: rows only, or one of three kinds made of bits.
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
        // Two answers may differ in every reported box.
        limited(sample * epsilon(rows), stated);
      } else {
        sound(kind === 'unary');
        // Two answers differ in two bits, one set in each of them. Both losses add up.
        const logs = rows[0].map((entry, y) => Math.log(entry / rows[1][y]));
        limited(Math.max(...logs) - Math.min(...logs), stated);
      }
    }
  }

  // The report as it is sent, of the same length for all answers: the column of a plain table, or a
  // character for each bit. `answer` is a row; for boxes, it is a list with true for ticked boxes.
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
