// Waves: the same answer on the same device gives the same report in each wave of a survey.
//
// Fresh draws for one answer in wave after wave could be averaged until it shows. So the device
// keeps a secret for each series of waves and draws from HMAC-SHA-256(secret, context). The true
// answer is kept nowhere: given again, it leads to the same words, hence to the same report, from
// which nothing more can be learnt.
//
// The secret is 256 bits of crypto.getRandomValues, by way of randomizer.js. To whoever lacks it
// the output of HMAC-SHA-256 is as good as fresh randomness (Bellare 2006), so a first report tells
// what its table allows and no more. Where storage, WebCrypto (only on secure pages) or secure
// randomness is missing this throws; there is no weaker way.
//
// A context says what is drawn. Two contexts, or two secrets, give words that are independent.
// - The question's name is in it: of two questions on the same words, reports that differ would
//   tell that the answers do.
// - So is the answer: on the same words, No and then Yes could only come from a change that way.
// - So are all integers that the table is drawn with. Take rows 9:3 and 3:9, later 8:4 and 4:8,
//   and one ticket of twelve: only ticket 8 gives Yes, then No, and only to the answer Yes. Two
//   reports of finite loss would give it away; drawn independently they lose the sum of both.
// - A context without the answer suits what no answer decides: which questions chance picks (or
//   others would be picked, and lose, in each wave), and whether a number is rounded up (then the
//   table's row is the answer, and a number that hardly changes mostly keeps its report).
//
// What remains. A changed answer is drawn anew: the losses of both add up, and that it changed may
// show. Reports that stay the same can tell that the responses of two waves come from one device.
// Whoever renames a question or changes its table draws anew and adds a loss. Who holds the secret
// (the device, or a page of this server that was changed to read it) and the stored reports can
// test which answers fit, past ones too: hence "forget this device". It ends that, and a wave
// after it adds a loss. A secret serves one series, so that no two series can be joined by it.
'use strict';

const waves = (() => {
  const BLOCKS = 2; // computed at first, with 8 words in each
  const SECRET = /^[0-9a-f]{64}$/;
  const key = (series) => `candor series ${series}`;

  // What is stored, null if that is no secret; throws where storage is blocked
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

  // Keeps the secret that there is, so that reports stay what they were
  function remember(series) {
    secure();
    if (stored(series) !== null) return;
    localStorage.setItem(key(series), randomizer.identifier() + randomizer.identifier());
    if (stored(series) === null) throw new Error('The secret could not be stored.');
  }

  // Throws where storage is blocked: nobody is told that a secret is gone while it may be there
  const forget = (series) => localStorage.removeItem(key(series));

  // One text for one JSON value, whatever the order of an object's members (RFC 8785)
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

  // make(draw), with the words of this context. WebCrypto answers later, so words are computed
  // ahead. If they run out, `make` starts again on twice as many, which begin with the same ones:
  // the result is that of an endless stream. So `make` may do nothing but draw and return.
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
        return blocks[(used - 1) >> 3].getUint32(((used - 1) & 7) * 4); // big-endian
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
