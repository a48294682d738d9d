// Sends a text to this site and returns the server's answer. Nothing else leaves these pages.
// Without a text, it only asks for the status of an address.
//
// The request has no cookie and no referrer, and it follows no redirect. It ends after a time, so a
// server that never answers counts as a missing connection.
'use strict';

const post = (() => {
  const TIMEOUT_SECONDS = 20;
  // People wait for the status with the finger on the screen, and can go on without it.
  const STATUS_SECONDS = 4;

  // The status of the reply, or 0 if none came in time, and the reason of a refusal.
  return async (address, body) => {
    const asks = body === undefined;
    // AbortSignal.timeout would be shorter, but iOS has it only since 16, and Chrome since 103.
    const controller = new AbortController();
    const seconds = asks ? STATUS_SECONDS : TIMEOUT_SECONDS;
    const timer = setTimeout(() => controller.abort(), seconds * 1000);
    try {
      const response = await fetch(address, {
        method: asks ? 'HEAD' : 'POST',
        headers: asks ? {} : { 'Content-Type': 'application/json' },
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
