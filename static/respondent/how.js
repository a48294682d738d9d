// "How it works": one person who tries, and a thousand made-up people. randomizer.js draws
// everything, and nothing is sent.
'use strict';

(() => {
  const PEOPLE = 1000;
  // The grid of people, in SVG units.
  const COLUMNS = 40;
  const APART = 10;
  // The animation in milliseconds, and the people between two points of the line.
  const ARRIVING = 2500;
  const EACH = 10;
  // The normal quantile of a 95 % interval.
  const Z = 1.959964;
  // The chart's lowest and highest share, and its area.
  const [LOW, HIGH] = [-0.2, 1.2];
  const [LEFT, TOP, WIDTH, HEIGHT] = [66, 8, 300, 190];
  const find = (id) => document.getElementById(id);
  const how = find('how');
  // The table of two coins or of a survey: rows are answers, columns are reports, Yes before No.
  // Two draws do the same: the first keeps the answer, or the second decides whatever it is.
  const [yesYes, yesNo, noYes, noNo] = how.dataset.table.split(' ').map(Number);
  const TABLE = { rows: [[yesYes, yesNo], [noYes, noNo]] };
  const FIRST = { rows: [[yesYes - noYes, noYes + yesNo]] };
  const SECOND = { rows: [[noYes, yesNo]] };
  const [LEAST, SPAN] = [noYes, yesYes - noYes].map((entry) => entry / (noYes + noNo));
  const { lang } = document.documentElement;
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  function number(value, most = 1) {
    const options = { maximumFractionDigits: most };
    const shown = new Intl.NumberFormat(lang, options).format(value);
    return shown === '-0' ? '0' : shown.replace('-', '\u2212');
  }

  const percent = (share) => fill(how.dataset.percent, { number: number(100 * share) })
    .replace(' ', '\u00a0');

  function drawn(parent, tag, attributes, text = '') {
    const element = document.createElementNS(parent.namespaceURI, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    parent.append(element);
  }

  // One person

  const one = find('one');
  // Rows are what was said, columns are what was sent.
  const tally = [[0, 0], [0, 0]];

  function toss(said) {
    const { yes, no } = how.dataset;
    const heads = randomizer.report(FIRST, 0) === '0';
    const sent = heads ? said : Number(randomizer.report(SECOND, 0));
    const unused = heads ? 'none' : ['heads', 'tails'][sent];
    const sides = { first: heads ? 'heads' : 'tails', second: unused };
    // Only coins have a picture.
    for (const [id, side] of Object.entries(sides)) if (find(id)) find(id).dataset.side = side;
    find('said-first').textContent = heads ? one.dataset.heads : one.dataset.tails;
    find('said-second').textContent = {
      none: one.dataset.unused, heads: one.dataset.secondHeads, tails: one.dataset.secondTails,
    }[unused];
    const words = { said: [yes, no][said], sent: [yes, no][sent] };
    find('said-sent').textContent = fill(one.dataset.sent, words);
    tally[said][sent] += 1;
    one.querySelector(`[data-tally="${said}${sent}"]`).textContent = number(tally[said][sent]);
  }

  // A thousand people

  const many = find('many');
  const [people, chart] = [find('people'), find('chart')];
  const moves = window.matchMedia('(prefers-reduced-motion: no-preference)');
  let frame = null;

  // The start of a person's path.
  const place = (person, left) => `M${(person % COLUMNS + 0.5) * APART - left} ` +
    `${(Math.floor(person / COLUMNS) + 0.5) * APART}`;
  const dot = (person) => `${place(person, 0)}h0`;
  const dash = (person) => `${place(person, 3)}h6`;

  const across = (n) => WIDTH * n / PEOPLE;
  const up = (share) => (HEIGHT * (HIGH - share) / (HIGH - LOW)).toFixed(1);

  // The estimated share from n people and its 95 % interval: Wilson's, which holds for few people.
  function estimated(count, n) {
    const share = count / n;
    const middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n);
    const reach = Z * Math.sqrt(share * (1 - share) / n + (Z / (2 * n)) ** 2) / (1 + Z * Z / n);
    const [value, low, high] = [share, middle - reach, middle + reach]
      .map((each) => (each - LEAST) / SPAN);
    return { value, low, high };
  }

  // What everyone sends if `yes` people, picked at random, really say Yes.
  function everyone(yes) {
    return randomizer.pick(PEOPLE, yes)
      .map((really) => randomizer.report(TABLE, really ? 0 : 1) === '0');
  }

  function draw(sent, n) {
    const there = sent.slice(0, n);
    const some = (of, shape) => of.map((_, person) => person).filter(shape);
    const path = (css, within, d) => within.querySelector(css).setAttribute('d', d);
    path('.sent-yes', people, some(there, (person) => sent[person]).map(dot).join(''));
    path('.sent-no', people, some(there, (person) => !sent[person]).map(dash).join(''));
    path('.waiting', people, some(sent, (person) => person >= n).map(dot).join(''));
    const steps = [];
    let count = 0;
    there.forEach((yes, person) => {
      count += yes ? 1 : 0;
      if ((person + 1) % EACH === 0) steps.push([person + 1, estimated(count, person + 1)]);
    });
    const line = (which) => steps.map(([m, estimate]) => `${across(m)} ${up(estimate[which])}`);
    const joined = (points) => (points.length ? `M${points.join('L')}` : '');
    path('.home', chart, joined(line('value')));
    path('.band', chart, joined([...line('high'), ...line('low').reverse()]));
  }

  function tell(sent, yes) {
    const count = sent.filter(Boolean).length;
    const { value, low, high } = estimated(count, PEOPLE);
    const values = {
      n: number(PEOPLE),
      count: number(count),
      share: percent(count / PEOPLE),
      half: percent(0.5),
      estimate: percent(value),
      truth: percent(yes / PEOPLE),
      margin: number(50 * (high - low), 0),
    };
    find('result').replaceChildren(...['result', 'range'].map((name) => {
      const line = document.createElement('p');
      line.textContent = fill(many.dataset[name], values);
      return line;
    }));
  }

  function run(yes) {
    cancelAnimationFrame(frame);
    const sent = everyone(yes);
    find('result').replaceChildren();
    find('real').setAttribute('d', `M0 ${up(yes / PEOPLE)}H${WIDTH}`);
    let begun = null;
    function step(now) {
      begun = begun ?? now;
      const share = moves.matches ? Math.min(1, (now - begun) / ARRIVING) : 1;
      draw(sent, Math.round(PEOPLE * share / EACH) * EACH);
      if (share < 1) {
        frame = requestAnimationFrame(step);
      } else {
        tell(sent, yes);
        find('everyone').textContent = many.dataset.again;
      }
    }
    step(performance.now());
  }

  // How many of the people say Yes; null if the field is not from 0 to 100.
  function wanted() {
    const typed = find('truth');
    return typed.value !== '' && typed.validity.valid
      ? Math.round(typed.valueAsNumber * PEOPLE / 100) : null;
  }

  function complain(wrong) {
    find('truth-error').firstElementChild.hidden = !wrong;
    find('truth').setAttribute('aria-invalid', String(wrong));
  }

  function axes() {
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      const y = TOP + Number(up(share));
      drawn(chart, 'path', { class: 'axis', d: `M${LEFT} ${y}h${WIDTH}` });
      const label = { class: 'soft', x: LEFT - 6, y: y + 5, 'text-anchor': 'end' };
      drawn(chart, 'text', label, percent(share));
    }
    for (const n of [0, 250, 500, 750, 1000]) {
      const label = { class: 'soft', x: LEFT + across(n), y: 220, 'text-anchor': 'middle' };
      drawn(chart, 'text', label, number(n));
    }
    // On top.
    chart.append(chart.querySelector('svg'));
  }

  function start() {
    for (const button of one.querySelectorAll('[data-answer]')) {
      button.addEventListener('click', () => toss(Number(button.dataset.answer)));
    }
    find('slide').addEventListener('input', () => {
      find('truth').value = find('slide').value;
      complain(false);
    });
    find('truth').addEventListener('input', () => {
      if (wanted() !== null) {
        find('slide').value = find('truth').value;
        complain(false);
      }
    });
    find('everyone').addEventListener('click', () => {
      const yes = wanted();
      complain(yes === null);
      if (yes === null) find('truth').focus();
      else run(yes);
    });
    axes();
    draw(Array(PEOPLE).fill(false), 0);
    // This throws if there is no secure randomness.
    randomizer.identifier();
    one.hidden = false;
    many.hidden = false;
  }

  try { start(); } catch { /* The page has text too. */ }
})();
