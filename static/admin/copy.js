// Buttons that copy a link or a secret, with a message next to each. They stay hidden if the
// browser has no clipboard API, which needs HTTPS.
'use strict';

(() => {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll('[data-copy]')) {
    const said = button.parentElement.querySelector('[role=status]');
    button.hidden = false;
    button.addEventListener('click', async () => {
      said.textContent = '';
      try {
        await navigator.clipboard.writeText(button.dataset.copy);
        said.textContent = button.dataset.copied;
      } catch {
        said.textContent = button.dataset.notCopied;
      }
    });
  }
})();
