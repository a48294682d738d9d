// Buttons that copy a link. They stay hidden where the browser has no clipboard to write to, as
// without https; what came of a press is said beside the button.
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
