// Sends a response: what is to be sent is frozen once, and only that is sent, however often.
//
// All reports are drawn at once and frozen as one string; from then on only that string is sent,
// and the answers are erased before its first byte leaves. Until the server has confirmed it, the
// frozen string is kept for this tab (sessionStorage), so that a reload sends the same bytes again
// and never draws anew: fresh draws of one answer could be averaged. After that only the fact that
// it was sent is kept. True answers to private questions are kept nowhere.
'use strict';

const sender = (() => {
  const RETRY_SECONDS = [1, 2, 4, 8];
  const { endpoint } = document.getElementById('page').dataset;
  const { fingerprint } = questions.frozen;
  const key = `candor ${fingerprint}`;

  // sessionStorage throws where site data is blocked; then a reload forgets, and that is all. A
  // preview keeps nothing
  let inMemory = null;
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
      try { sessionStorage.setItem(key, JSON.stringify(value)); } catch { /* see above */ }
    },
    clear() {
      inMemory = null;
      try { sessionStorage.removeItem(key); } catch { /* see above */ }
    },
  };

  // The id of a response, random; where the survey gives receipts it is the hash of one, of which
  // the id tells nothing. Without an encrypted connection browsers do not hash: then no receipt
  async function identity() {
    const secret = randomizer.identifier();
    if (!questions.definition.receipts || !globalThis.crypto.subtle) return { id: secret };
    const bytes = Uint8Array.from(secret.match(/../g), (pair) => parseInt(pair, 16));
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).slice(0, 16);
    const id = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return { id, receipt: secret };
  }

  // One draw for each private question, all at once. The answers are read before this returns its
  // promise, so they may be erased then
  async function freeze(mix, invitation) {
    const [reports, { id, receipt }] = await Promise.all([questions.reports(mix), identity()]);
    const body = JSON.stringify({ id, fingerprint, reports, invitation });
    return { body, receipt, state: 'sending' };
  }

  // Sends until the server says what became of it: true, false where it stays unsent for now, or
  // the reason of a refusal. `say` is told how it goes
  async function send(body, say) {
    for (const seconds of [...RETRY_SECONDS, null]) {
      say('trying');
      const { status, reason } = await post(endpoint, body);
      if (status === 200 || status === 201) return true;
      if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
        return reason ?? `${status}`;
      }
      if (seconds !== null) {
        say(navigator.onLine ? 'waiting' : 'offline');
        await new Promise((wake) => { setTimeout(wake, seconds * 1000); });
      }
    }
    say(navigator.onLine ? 'stuck' : 'offline');
    return false;
  }

  return Object.freeze({ endpoint, freeze, kept, post, send });
})();
