// Checks before the first question that this browser has everything the page needs.
//
// This script uses only JavaScript of 2009. A browser that is too old for the other scripts still
// runs it and shows a refusal, instead of taking answers that it could never send. A browser does
// not run a script in newer syntax at all. It reports that as an error of the window.
'use strict';

var browser = (function () {
  // The features since about 2010 that the other scripts use. Storage, and hashing for receipts,
  // are not in the list: the scripts work without them. The randomizer checks for secure
  // randomness.
  var NEEDED = [
    'AbortController', 'Array.prototype.flatMap', 'Array.prototype.includes',
    'Element.prototype.append', 'Element.prototype.toggleAttribute', 'Intl.NumberFormat', 'JSON',
    'Map', 'Number.isSafeInteger', 'Object.entries', 'Object.fromEntries',
    'Promise.prototype.finally', 'Set', 'String.prototype.normalize', 'String.prototype.padStart',
    'Uint32Array', 'Uint8Array', 'fetch', 'history.pushState',
  ];
  var able = NEEDED.every(function (path) {
    return path.split('.').reduce(function (owner, name) { return owner && owner[name]; }, window);
  });
  // A script did not load, or its hash was not the one that the page names.
  var missing = false;
  var loading = document.getElementById('loading');

  function refuse() {
    able = false;
    loading.hidden = true;
    document.getElementById('refused').hidden = false;
  }

  // If a script is missing, the scripts after it fail too. The browser is then not the cause, and
  // the line "Getting ready" stays. Errors after the page has started are ignored here.
  window.addEventListener('error', function (event) {
    if (event.target !== window) missing = true;
    else if (!missing && !loading.hidden) refuse();
  }, true);

  if (!able) refuse();
  return { able: function () { return able; } };
})();
