// Sends a text to this site and returns the server's answer. Nothing else leaves these pages.
//
// The request has no cookie and no referrer, and it follows no redirect. It ends after a time, so a
// server that never answers counts as a missing connection.
'use strict';

const post = (() => {
  const TIMEOUT_SECONDS = 20;

  // The status of the reply, or 0 if none came in time, and the reason of a refusal.
  return async (address, body) => {
    // AbortSignal.timeout would be shorter, but iOS has it only since 16, and Chrome since 103.
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
