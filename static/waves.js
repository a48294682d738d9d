'use strict';
const waves = (() => { return { known: () => false }; })();
