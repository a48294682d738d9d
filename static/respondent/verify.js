// "Test this page": a made-up answer is mixed up 10,000 times by the very randomizer.js that mixes
// up real ones, and what comes out is laid beside what the table promises. Nothing is sent.
//
// How far chance alone may take a share: of n draws with chance p, a share at least (or at most) q
// comes with a chance of at most exp(-n D), where D = q ln(q / p) + (1 - q) ln((1 - q) / (1 - p))
// (Chernoff 1952; Hoeffding 1963, theorem 1). With m shares there are 2 m ways to be taken for
// wrong, so each gets the 2 m-th part of 1 / 10,000 (Bonferroni): a share is wrong if
// n D > ln(2 m 10,000). An honest page is hence called wrong at most once in 10,000 tests, however
// the shares hang together. A page that lies could of course leave out this script too.
'use strict';

(() => {
  const DRAWS = 10000;
  const WRONG_ONCE_IN = 10000;
  const AT_ONCE = 500; // draws between which the page may do something else
  const HALVINGS = 60; // more than a number has digits
  const find = (id) => document.getElementById(id);
  const trial = find('trial');
  const { lang } = document.documentElement;
  const { epsilon, limits, sample, questions } = JSON.parse(find('trials').textContent);
  let latest = 0; // the number of the test that was begun last
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  const number = (value, digits = 0) => new Intl.NumberFormat(lang, {
    minimumFractionDigits: digits, maximumFractionDigits: digits,
  }).format(value);
  const percent = (share) =>
    fill(trial.dataset.percent, { number: number(100 * share, 2) }).replace(' ', '\u00a0');

  const total = (row) => row.reduce((sum, entry) => sum + entry, 0);

  // What to draw with: "row 2" of the table, "steps 17" above a number's minimum, "ticked 010"
  function read(dummy) {
    const [kind, value] = dummy.split(' ');
    if (kind === 'ticked') return { ticked: [...value].map((digit) => digit === '1') };
    return { [kind]: Number(value) };
  }

  // One report, as the respondent's page draws it: a number is rounded by chance first
  function drawn(table, { row, steps, ticked }) {
    const answer = steps === undefined ? row : randomizer.round(steps, table.width);
    return randomizer.report(table, ticked ?? answer);
  }

  // What is looked at: for a plain table each report, else each bit, whether it is set and, where
  // only some are reported, whether it is left out. Each with its chance, exact but for rounding
  function shares({ table, reports }, { row, steps, ticked }) {
    const { kind, rows, answers, size, near, far, sample: some } = table;
    const set = (own) => rows[own ? 0 : 1][0] / total(rows[0]);
    if (kind === undefined) {
      const [low, up] = steps === undefined
        ? [row, 0] : [Math.floor(steps / table.width), (steps % table.width) / table.width];
      return reports.map((label, y) => ({
        label,
        chance: ((1 - up) * rows[low][y] + (up ? up * rows[low + 1][y] : 0)) / total(rows[0]),
        seen: (report) => Number(report) === y,
      }));
    }
    const all = answers.length;
    const inside = kind === 'subset' ? size * near / (size * near + (all - size) * far) : 0;
    const chances = {
      boxes: (bit) => set(ticked[bit]) * some / all,
      subset: (bit) => (bit === row ? inside : (size - inside) / (all - 1)),
      unary: (bit) => set(bit === row),
    };
    const bits = reports.map((label, bit) => ({
      label, chance: chances[kind](bit), seen: (report) => report[bit] === '1',
    }));
    if (kind !== 'boxes' || some === all) return bits;
    return bits.flatMap((share, bit) => [share, {
      label: fill(trial.dataset.leftOut, { box: share.label }),
      chance: 1 - some / all,
      seen: (report) => report[bit] === '-',
    }]);
  }

  // D of the comment above; 0 ln 0 is 0
  function distance(q, p) {
    const part = (a, b) => (a === 0 ? 0 : a * Math.log(a / b));
    return part(q, p) + part(1 - q, 1 - p);
  }

  // The share farthest from p, towards `end`, that chance may still bring
  function farthest(p, end, most) {
    let [within, beyond] = [p, end];
    if (distance(end, p) <= most) return end;
    for (let i = 0; i < HALVINGS; i += 1) {
      const middle = (within + beyond) / 2;
      if (distance(middle, p) <= most) within = middle;
      else beyond = middle;
    }
    return within;
  }

  // Draws, counts and compares; null if another test was begun meanwhile
  async function test(question, dummy) {
    const own = (latest += 1);
    const looked = shares(question, dummy);
    const counts = looked.map(() => 0);
    for (let i = 1; i <= DRAWS; i += 1) {
      const report = drawn(question.table, dummy);
      looked.forEach(({ seen }, place) => { if (seen(report)) counts[place] += 1; });
      if (i % AT_ONCE === 0) {
        await new Promise((go) => { setTimeout(go); });
        if (own !== latest) return null;
      }
    }
    const most = Math.log(2 * looked.length * WRONG_ONCE_IN) / DRAWS;
    return looked.map(({ label, chance }, place) => {
      const measured = counts[place] / DRAWS;
      const spread = Math.sqrt(chance * (1 - chance) / DRAWS);
      return {
        label,
        chance,
        measured,
        low: farthest(chance, 0, most),
        high: farthest(chance, 1, most),
        errors: measured === chance ? 0 : Math.abs(measured - chance) / spread,
        right: distance(measured, chance) <= most,
      };
    });
  }

  function cells(tag, parts) {
    const row = document.createElement('tr');
    row.append(...parts.map((text, place) => {
      const cell = document.createElement(place === 0 ? 'th' : tag);
      if (place === 0) cell.scope = 'row';
      else [cell.className, cell.dataset.label] = ['figure', find('head').cells[place].textContent];
      cell.textContent = text;
      return cell;
    }));
    return row;
  }

  function said(target, name, values) {
    const line = document.createElement('p');
    line.textContent = fill(trial.dataset[name], values);
    if (name === 'wrong' || name === 'unsound') line.className = 'notice warn';
    target.append(line);
  }

  async function run() {
    find('results').hidden = true;
    find('verdict').replaceChildren();
    said(find('verdict'), 'testing', {});
    const results = await test(questions[find('question').value], read(find('dummy').value));
    if (results !== null) show(results);
  }

  function show(results) {
    const verdict = find('verdict');
    const worst = results.reduce((a, b) => (b.errors > a.errors ? b : a));
    verdict.replaceChildren();
    said(verdict, results.every(({ right }) => right) ? 'right' : 'wrong', {});
    said(verdict, 'largest', {
      label: worst.label,
      measured: percent(worst.measured),
      promised: percent(worst.chance),
      errors: number(worst.errors, 1),
    });
    find('measured').replaceChildren(...results.map((result) => cells('td', [
      (result.right ? '' : '\u2717 ') + result.label,
      percent(result.chance),
      percent(result.measured),
      fill(trial.dataset.between, { low: percent(result.low), high: percent(result.high) }),
    ])));
    find('results').hidden = false;
  }

  const option = ([label, value]) => new Option(label, value);

  function offer() {
    const { dummies } = questions[find('question').value];
    find('dummy').replaceChildren(...dummies.map(option));
  }

  // What the respondent's page checks before it asks: no table tells more than is stated for it,
  // and all together no more than the sum and the limits
  function checked() {
    for (const { table } of questions) randomizer.verify(table, table.epsilon);
    losses.check(questions.map(({ table }) => table.epsilon), sample, epsilon, limits);
  }

  function start() {
    find('question').replaceChildren(...questions.map(({ label }, i) => option([label, i])));
    offer();
    find('question').addEventListener('change', offer);
    find('test').addEventListener('click', run);
    try {
      checked();
      said(find('checked'), 'sound', { n: number(questions.length) });
    } catch {
      said(find('checked'), 'unsound', {});
    }
    randomizer.identifier(); // throws where there is no secure randomness
    trial.hidden = false;
  }

  start();
})();
