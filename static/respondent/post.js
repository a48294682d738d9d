// Sends a text to this site, and says what the server answered: the only way out of these pages.
//
// It carries no cookie and no referrer, follows no redirect, and gives up after a time, so that a
// server that never answers ends like a connection that is not there.
'use strict';

const post = (() => {
  const TIMEOUT_SECONDS = 20;

  // The status of the reply, 0 where none came in time, and the reason that a refusal states
  return async (address, body) => {
    // AbortSignal.timeout would do, but iOS has it since 16 only, and Chrome since 103
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), TIMEOUT_SECONDS * 1000);
    try {
      const response = await fetch(address, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        credentials: 'omit',
        cache: 'no-store',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
        signal: controller.signal,
      });
      const { status } = response;
      const refused = status === 403 ? await response.json().catch(() => ({})) : {};
      return { status, reason: refused.reason };
    } catch {
      return { status: 0 };
    } finally {
      clearTimeout(timer);
    }
  };
})();
