// Whether this browser can do all that the page needs, found out before anyone is asked anything.
//
// It is written in the JavaScript of 2009, so that a browser that is too old for the other scripts
// still runs this one and says so, instead of taking answers that it could never send. A script in
// a newer language than the browser's does not run at all: the browser reports that to the window.
'use strict';

var browser = (function () {
  // What the other scripts use of what browsers got since 2010 or so. Where storage, or hashing for
  // receipts, is missing, they do without; for secure randomness the randomizer looks itself
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
  var missing = false; // a script that did not arrive, or was not the one that the page names
  var loading = document.getElementById('loading');

  function refuse() {
    able = false;
    loading.hidden = true;
    document.getElementById('refused').hidden = false;
  }

  // Where a script is missing those after it fail too, which is no fault of the browser: then the
  // line stays that says so. What fails once the page is open is not judged here
  window.addEventListener('error', function (event) {
    if (event.target !== window) missing = true;
    else if (!missing && !loading.hidden) refuse();
  }, true);

  if (!able) refuse();
  return { able: function () { return able; } };
})();
