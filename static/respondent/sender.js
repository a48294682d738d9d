// Sends a response. The reports are drawn once, and every attempt sends the same bytes.
//
// All reports are drawn together and frozen as one string. The answers are erased before its first
// byte is sent. Until the server confirms it, the string stays in sessionStorage. A reload then
// sends the same bytes and never draws again, because several draws of one answer could be
// averaged. Afterwards only the fact that it was sent is stored. True answers to private questions
// are never stored.
'use strict';

const sender = (() => {
  // The waits between attempts. The last one repeats.
  const RETRY_SECONDS = [1, 2, 4, 8, 30];
  const { endpoint } = document.getElementById('page').dataset;
  const { fingerprint } = questions.frozen;
  const key = `candor ${fingerprint}`;

  // sessionStorage throws if site data is blocked. Then only a reload loses the string. A preview
  // stores nothing.
  let inMemory = null;
  // How often the string was deleted.
  let cleared = 0;
  const kept = {
    read() {
      if (!endpoint) return inMemory;
      try {
        return JSON.parse(sessionStorage.getItem(key)) ?? inMemory;
      } catch {
        return inMemory;
      }
    },
    write(value) {
      inMemory = value;
      if (!endpoint) return;
      try { sessionStorage.setItem(key, JSON.stringify(value)); } catch { /* It is blocked. */ }
    },
    clear() {
      inMemory = null;
      cleared += 1;
      try { sessionStorage.removeItem(key); } catch { /* It is blocked. */ }
    },
  };

  // The first half of the SHA-256 of a receipt and a label. It reveals nothing about the receipt.
  async function hashed(secret, label) {
    const bytes = secret.match(/../g).map((pair) => parseInt(pair, 16));
    const letters = Array.from(label, (letter) => letter.charCodeAt(0));
    const hash = await crypto.subtle.digest('SHA-256', Uint8Array.from([...bytes, ...letters]));
    const half = new Uint8Array(hash).slice(0, 16);
    return Array.from(half, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  // The random id of a response, and another one for texts that the server stores apart. Nothing
  // may join the two. In a survey with receipts, both are hashes of the receipt. Browsers hash only
  // on encrypted connections; without one there is no receipt.
  async function identity() {
    const secret = randomizer.identifier();
    if (!questions.definition.receipts || !globalThis.crypto.subtle) {
      return { id: secret, textsId: questions.apart.length ? randomizer.identifier() : null };
    }
    const [id, textsId] = await Promise.all([hashed(secret, ''), hashed(secret, 'texts')]);
    return { id, textsId, receipt: secret };
  }

  // Moves the texts that the server stores apart out of the reports. The result is undefined if
  // there are none, so that JSON.stringify omits it.
  function separate(reports, id) {
    if (!questions.apart.length) return undefined;
    const texts = questions.apart.map(({ name }) => [name, reports[name]]);
    for (const [name] of texts) delete reports[name];
    return { id, reports: Object.fromEntries(texts) };
  }

  // Draws one report for each private question. It reads the answers before it returns its promise,
  // so the caller can erase them at once.
  async function freeze(mix, invitation) {
    const [reports, { id, textsId, receipt }] =
      await Promise.all([questions.reports(mix), identity()]);
    const texts = separate(reports, textsId);
    const body = JSON.stringify({ id, fingerprint, reports, texts, invitation });
    return { body, receipt, state: 'sending' };
  }

  // Ends the current wait, so that the next attempt is at once.
  let tryNow = () => {};

  // Returns whether `tryNow` ended the wait.
  function wait(seconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), seconds * 1000);
      tryNow = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  // Phones stop the timers of a page that nobody sees.
  document.addEventListener('visibilitychange', () => { if (!document.hidden) tryNow(); });
  window.addEventListener('online', () => tryNow());

  // Sends until the server answers, or the person leaves. It returns true, or the reason of a
  // refusal, or null if the response was deleted meanwhile. It calls `say` with the state, and with
  // whether the waits are long by now. Then attempts that nobody asked for are silent, because a
  // screen reader would read each one.
  async function send(body, say) {
    const before = cleared;
    const deleted = () => cleared !== before;
    const last = RETRY_SECONDS.length - 1;
    let asked = true;
    for (let attempt = 0; ; attempt += 1) {
      const late = attempt >= last;
      if (asked || !late) say('trying');
      const { status, reason } = await post(endpoint, body);
      if (deleted()) return null;
      if (status === 200 || status === 201) return true;
      if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
        return reason ?? `${status}`;
      }
      const state = late ? 'stuck' : 'waiting';
      say(navigator.onLine ? state : 'offline', late);
      asked = await wait(RETRY_SECONDS[Math.min(attempt, last)]);
      if (deleted()) return null;
    }
  }

  return Object.freeze({ endpoint, freeze, kept, post, send, tryNow: () => tryNow() });
})();
