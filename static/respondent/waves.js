// Waves: the same answer on the same device gives the same report in each wave of a survey.
//
// New draws for one answer in every wave could be averaged, which would show the answer. So the
// device stores a secret for each series of waves and draws from HMAC-SHA-256(secret, context).
// It does not store the answer. The same answer gives the same report, which reveals nothing more.
//
// The secret is 256 bits of crypto.getRandomValues, drawn by randomizer.js. Without the secret,
// the output of HMAC-SHA-256 is as good as new randomness (Bellare 2006). So a first report
// reveals no more than its table allows. This script throws without storage, secure randomness, or
// WebCrypto (on secure pages only).
//
// A context names what is drawn. Two contexts, or two secrets, give independent words.
// - It contains the question's name. If two questions had the same words, different reports would
//   show that their answers differ.
// - It contains the answer. With the same words, only a changed answer could give No and then Yes.
// - It contains all integers of the table. Otherwise a changed table could reveal an answer. Take
//   rows 9:3 and 3:9, later 8:4 and 4:8, and one ticket of twelve. Only ticket 8 gives Yes and
//   then No, and only to the answer Yes. Independent draws lose only the sum of both losses.
// - It leaves out the answer in three cases. An experimental arm depends on no answer. The choice
//   of questions would otherwise be new in each wave and add losses. In the rounding of a number,
//   the row is then the answer. A number that hardly changes mostly keeps its row and report.
//
// What remains. A changed answer gets a new draw: both losses add up, and the change may show.
// Equal reports can show that two responses come from one device. A researcher who renames a
// question or changes its table causes a new draw, which adds a loss. The secret is on the device,
// and a changed page of this server could read it. With the secret and the stored reports, anyone
// can test which answers fit, also past ones. "Forget this device" ends that, and a wave after it
// adds a loss. A secret serves one series only, so it cannot link two series.
'use strict';

const waves = (() => {
  // The blocks computed first, of 8 words each.
  const BLOCKS = 2;
  const SECRET = /^[0-9a-f]{64}$/;
  const key = (series) => `candor series ${series}`;

  // The stored secret; null if there is none. It throws if storage is blocked.
  function stored(series) {
    const text = localStorage.getItem(key(series));
    return text !== null && SECRET.test(text) ? text : null;
  }

  function known(series) {
    try { return stored(series) !== null; } catch { return false; }
  }

  function secure() {
    if (!globalThis.crypto?.subtle) throw new Error('No WebCrypto; is this a secure page?');
    return crypto.subtle;
  }

  // Stores a secret. It keeps an existing one, so that reports stay the same.
  function remember(series) {
    secure();
    if (stored(series) !== null) return;
    localStorage.setItem(key(series), randomizer.identifier() + randomizer.identifier());
    if (stored(series) === null) throw new Error('The secret could not be stored.');
  }

  // Throws if storage is blocked. The page must not say that the secret is deleted if it may exist.
  const forget = (series) => localStorage.removeItem(key(series));

  // A JSON value as text, with the members of objects in a fixed order (RFC 8785).
  function canonical(value) {
    if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
    if (value !== null && typeof value === 'object') {
      const member = (name) => `${JSON.stringify(name)}:${canonical(value[name])}`;
      return `{${Object.keys(value).sort().map(member).join(',')}}`;
    }
    const plain = value === null || ['boolean', 'string'].includes(typeof value);
    if (!plain && !Number.isFinite(value)) throw new TypeError('A context is a JSON value.');
    return JSON.stringify(value);
  }

  // Calls make(draw) with the big-endian words of this context. WebCrypto answers later, so they
  // are computed first. If they run out, `make` starts again with twice as many, which begin with
  // the same ones, as in an endless stream. So `make` may only draw and return.
  async function drawing(series, context, make) {
    const subtle = secure();
    const text = canonical(context);
    const secret = stored(series);
    if (secret === null) throw new Error('There is no secret for this series.');
    const bytes = Uint8Array.from(secret.match(/../g), (pair) => parseInt(pair, 16));
    const hmac = { name: 'HMAC', hash: 'SHA-256' };
    const signing = await subtle.importKey('raw', bytes, hmac, false, ['sign']);
    const block = (number) =>
      subtle.sign('HMAC', signing, new TextEncoder().encode(`[${text},${number}]`));
    const blocks = [];
    for (let wanted = BLOCKS; ; wanted *= 2) {
      const further = Array.from({ length: wanted - blocks.length }, (_, n) => blocks.length + n);
      blocks.push(...(await Promise.all(further.map(block))).map((buffer) => new DataView(buffer)));
      let used = 0;
      let dry = false;
      const draw = () => {
        dry = dry || used === blocks.length * 8;
        if (dry) throw new RangeError('No words are left.');
        used += 1;
        return blocks[(used - 1) >> 3].getUint32(((used - 1) & 7) * 4);
      };
      try {
        const made = make(draw);
        if (!dry) return made;
      } catch (error) {
        if (!dry) throw error;
      }
    }
  }

  return Object.freeze({ drawing, forget, known, remember });
})();
