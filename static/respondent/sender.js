// Sends a response. The reports are drawn once, and every attempt sends the same bytes.
//
// All reports are drawn together and frozen as one string. The answers are erased before its first
// byte is sent. Until the server confirms it, the string stays in sessionStorage. A reload then
// sends the same bytes and never draws again, because several draws of one answer could be
// averaged. Afterwards only the fact that it was sent is stored. True answers to private questions
// are never stored.
'use strict';

const sender = (() => {
  const RETRY_SECONDS = [1, 2, 4, 8];
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

  // The random id of a response. In a survey with receipts, it is the hash of the receipt, which it
  // does not reveal. Browsers hash only on encrypted connections; without one there is no receipt.
  async function identity() {
    const secret = randomizer.identifier();
    if (!questions.definition.receipts || !globalThis.crypto.subtle) return { id: secret };
    const bytes = Uint8Array.from(secret.match(/../g), (pair) => parseInt(pair, 16));
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).slice(0, 16);
    const id = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return { id, receipt: secret };
  }

  // Draws one report for each private question. It reads the answers before it returns its promise,
  // so the caller can erase them at once.
  async function freeze(mix, invitation) {
    const [reports, { id, receipt }] = await Promise.all([questions.reports(mix), identity()]);
    const body = JSON.stringify({ id, fingerprint, reports, invitation });
    return { body, receipt, state: 'sending' };
  }

  // Sends until the server answers. It returns true, or false if it is still unsent, or the reason
  // of a refusal, or null if the response was deleted meanwhile. It calls `say` with the state.
  async function send(body, say) {
    const before = cleared;
    const deleted = () => cleared !== before;
    for (const seconds of [...RETRY_SECONDS, null]) {
      say('trying');
      const { status, reason } = await post(endpoint, body);
      if (deleted()) return null;
      if (status === 200 || status === 201) return true;
      if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
        return reason ?? `${status}`;
      }
      if (seconds !== null) {
        say(navigator.onLine ? 'waiting' : 'offline');
        await new Promise((wake) => { setTimeout(wake, seconds * 1000); });
        if (deleted()) return null;
      }
    }
    say(navigator.onLine ? 'stuck' : 'offline');
    return false;
  }

  return Object.freeze({ endpoint, freeze, kept, post, send });
})();
