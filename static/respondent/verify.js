// "Test this page": randomizer.js, which also mixes up real answers, mixes up a made-up one 10,000
// times. The page compares the results with what the table promises. Nothing is sent.
//
// The range that chance allows: let D = q ln(q / p) + (1 - q) ln((1 - q) / (1 - p)). In n draws
// with probability p, a share of at least (or at most) q has a probability of at most exp(-n D).
// Sources: Chernoff 1952; Hoeffding 1963, theorem 1. With m shares there are 2 m tests, so each
// gets the 2 m-th part of 1 / 10,000 (Bonferroni). A share fails if n D > ln(2 m 10,000). So an
// honest page fails at most once in 10,000 tests, however the shares depend on each other. A page
// that lies could of course leave out this script too.
'use strict';

(() => {
  const DRAWS = 10000;
  const WRONG_ONCE_IN = 10000;
  // After this many draws, the page can do something else.
  const AT_ONCE = 500;
  // More than the binary digits of a number.
  const HALVINGS = 60;
  const find = (id) => document.getElementById(id);
  const trial = find('trial');
  const { lang } = document.documentElement;
  const { conditions, epsilon, given, limits, sample, questions } =
    JSON.parse(find('trials').textContent);
  // The number of the test that started last.
  let latest = 0;
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  const number = (value, digits = 0) => new Intl.NumberFormat(lang, {
    minimumFractionDigits: digits, maximumFractionDigits: digits,
  }).format(value);
  const percent = (share) =>
    fill(trial.dataset.percent, { number: number(100 * share, 2) }).replace(' ', '\u00a0');

  const total = (row) => row.reduce((sum, entry) => sum + entry, 0);

  // Reads a made-up answer: "row 2" of the table, "steps 17" above the minimum, or "ticked 010".
  function read(dummy) {
    const [kind, value] = dummy.split(' ');
    if (kind === 'ticked') return { ticked: [...value].map((digit) => digit === '1') };
    return { [kind]: Number(value) };
  }

  // Draws one report as the respondent's page does. A number is rounded at random first.
  function drawn(table, { row, steps, ticked }) {
    const answer = steps === undefined ? row : randomizer.round(steps, table.width);
    return randomizer.report(table, ticked ?? answer);
  }

  // The shares to compare, with their probabilities. For a plain table, these are the reports. For
  // the other kinds, these are the bits that are set and, if only some are reported, left out.
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

  // D of the comment at the top of this file, with 0 ln 0 = 0.
  function distance(q, p) {
    const part = (a, b) => (a === 0 ? 0 : a * Math.log(a / b));
    return part(q, p) + part(1 - q, 1 - p);
  }

  // The share farthest from p in the direction of `end` that chance still allows.
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

  // Draws, counts and compares. The result is null if another test has started.
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

  // The checks of the respondent's page: no table exceeds its stated loss, and all of them together
  // do not exceed the stated total and the limits, whatever the experimental arms are.
  function checked() {
    for (const { table } of questions) randomizer.verify(table, table.epsilon);
    const mixed = questions.map(({ name, table }) => [name, table.epsilon]);
    losses.check(conditions, mixed, given, sample, epsilon, limits);
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
    // This throws if there is no secure randomness.
    randomizer.identifier();
    trial.hidden = false;
  }

  start();
})();
