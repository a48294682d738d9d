// How long the page's own script takes to randomise: node randomize.js TABLE DRAWS, in seconds.
'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { runInThisContext } = require('node:vm');

globalThis.crypto ??= require('node:crypto').webcrypto; // node before 19
const file = join(__dirname, '..', 'static', 'respondent', 'randomizer.js');
const { report, verify } = runInThisContext(`${readFileSync(file, 'utf8')}\nrandomizer`);

const table = JSON.parse(process.argv[2]);
const draws = Number(process.argv[3]);
verify(table, Math.log(table.near / table.far));
const run = () => {
  const before = process.cpuUsage();
  for (let i = 0; i < draws; i += 1) report(table, i % table.answers.length);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
};
console.log(Math.min(run(), run(), run()));
