// On a phone, the tabs of a survey are one row that scrolls. Begin with the current tab in view.
// Without this script, the reader scrolls.
'use strict';

(() => {
  const tab = document.querySelector('.tabs [aria-current]');
  if (!tab) return;
  const row = tab.parentElement;
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
})();
