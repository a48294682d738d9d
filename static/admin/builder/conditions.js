// Conditions on earlier questions, chosen from menus. This script writes them into the text field,
// whose lines ("smokes: yes", "age: 18 to 65") the server reads. A text that the menus cannot show
// stays unchanged.
'use strict';

const builderConditions = (() => {
  const YES_NO = [['yes', translate('Yes')], ['no', translate('No')]];
  const RANGE = /^(?:(\S+) to (\S+)|at least (\S+)|at most (\S+))$/;

  function element(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  // [code, label] of each choice, named as the server names them (survey/admin/builder/texts.py)
  function choices(question, field) {
    const found = [];
    const lines = field(question, 'choices').value.split('\n');
    for (const line of lines.map((each) => each.trim())) {
      if (!line) continue;
      const bar = line.indexOf('|');
      const label = line.slice(bar + 1).trim();
      const code = bar < 0
        ? choiceName(label.toLowerCase(), found.length + 1, found.map(([other]) => other))
        : line.slice(0, bar).trim();
      found.push([code, label]);
    }
    const offered = builderQuestions.has(question, 'reword') && !found.length ? YES_NO : found;
    return field(question, 'prefer_not_to_say').checked
      ? [...offered, ['prefer_not_to_say', translate('Prefer not to say')]] : offered;
  }

  // Each character beyond ASCII in the form, as the server writes it in ASCII
  const transliterated = new Map();

  // Whether some of these characters are new
  function learn(letters) {
    const before = transliterated.size;
    for (const [letter, ascii] of Object.entries(letters)) transliterated.set(letter, ascii);
    return transliterated.size > before;
  }

  // The next two functions are those of survey/definition/choices.py
  function plainAscii(text, between) {
    const ascii = Array.from(text.normalize('NFC'), (letter) => (
      letter < '\x80' ? letter : transliterated.get(letter) ?? ''));
    const plain = ascii.join('').replace(/'/g, '').toLowerCase();
    return (plain.match(/[a-z0-9]+/g) ?? []).join(between);
  }

  function choiceName(written, number, taken) {
    const MOST = 57;
    let name = written;
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/.test(name)) {
      const worded = written.replace(/^[-\u2212](?=\d)/, 'minus ');
      name = plainAscii(worded, '_').slice(0, MOST) || `c${number}`;
    }
    if (!taken.includes(name)) return name;
    name = name.slice(0, MOST);
    for (let next = 1; ; next += 1) {
      const free = next === 1 ? name : `${name}_${next}`;
      if (!taken.includes(free)) return free;
    }
  }

  // Lines as [name, condition]; null if one is not a condition
  function parsed(text) {
    const lines = text.split('\n').map((line) => line.trim()).filter(Boolean);
    const pairs = lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    });
    return pairs.every(([name, condition]) => name && condition) ? pairs : null;
  }

  function written(pairs) {
    return pairs.filter(([, condition]) => condition)
      .map(([name, condition]) => `${name}: ${condition}`).join('\n');
  }

  // Show the menus of one question. `earlier` are the questions before it, and `named` gives a
  // question a name.
  function show(question, earlier, field, named) {
    const box = question.querySelector('[data-conditions]');
    const text = field(question, 'relevant');
    const { has } = builderQuestions;
    // A question that is sent cannot depend on one that is not
    const sent = (each) => field(each, 'privacy').value !== 'not_sent';
    const parents = earlier.filter((each) => (
      has(each, 'protected') && !has(each, 'items') && !has(each, 'joint')
      && (sent(each) || !sent(question))));
    const known = new Map(parents.map((each) => [field(each, 'name').value.trim(), each]));
    const pairs = parsed(text.value);
    const fits = pairs?.every(([name, condition]) => {
      const parent = known.get(name);
      if (!parent) return false;
      if (has(parent, 'number')) return RANGE.test(condition);
      const codes = choices(parent, field).map(([code]) => code);
      return condition.split(',').every((code) => codes.includes(code.trim()));
    });
    box.hidden = !fits || !parents.length || 'asText' in question.dataset;
    question.querySelector('[data-as-text]').hidden = !box.hidden;
    if (box.hidden) return;

    // After a condition is added or removed, make the menus again, and focus one
    const write = (changed, focused = null) => {
      text.value = written(changed);
      if (focused !== null) {
        show(question, earlier, field, named);
        box.querySelector(focused)?.focus();
      }
      text.dispatchEvent(new Event('input', { bubbles: true }));
    };

    const rows = pairs.map(([name, condition], row) => {
      const parent = known.get(name);
      const put = (value) => write(parsed(text.value).map((each, other) => (
        other === row ? [name, value] : each)));
      const legend = element('legend', { textContent: titled(parent) });
      const remove = element('button', {
        type: 'button', className: 'small', textContent: translate('Remove'),
      });
      remove.setAttribute('aria-label', translate('Remove the condition on “%(question)s”', {
        question: titled(parent),
      }));
      remove.addEventListener('click', () => (
        write(parsed(text.value).filter((_, other) => other !== row), 'select')));
      const inputs = has(parent, 'number')
        ? bounds(condition, put) : boxes(choices(parent, field), condition, put);
      return element('fieldset', { className: 'condition' }, legend, ...inputs, remove);
    });
    const unused = parents.filter((each) => !pairs.some(([name]) => known.get(name) === each));
    const none = element('option', { value: '', textContent: translate('(choose)') });
    const menu = element('select', {}, none,
      ...unused.map((each) => element('option', {
        value: String(earlier.indexOf(each)), textContent: titled(each),
      })));
    menu.addEventListener('change', () => {
      const parent = earlier[Number(menu.value)];
      const number = has(parent, 'number');
      const first = number ? `at least ${field(parent, 'min').value.trim() || '0'}`
        : choices(parent, field)[0]?.[0];
      if (!first) return;
      write([...parsed(text.value), [named(parent), first]], 'fieldset:last-of-type input');
    });
    const first = rows.length ? translate('And only if the answer to')
      : translate('Only if the answer to');
    const label = element('label', {}, `${first} `, menu);
    const asText = element('button', {
      type: 'button', className: 'small', textContent: translate('Write the conditions as text'),
    });
    asText.addEventListener('click', () => {
      question.dataset.asText = 'yes';
      show(question, earlier, field, named);
      text.focus();
    });
    box.replaceChildren(...rows, element('p', { className: 'field' }, unused.length ? label : ''),
      element('p', { className: 'actions' }, asText));
  }

  function titled(question) {
    const number = question.querySelector('[data-number]').textContent;
    return `${number}. ${question.querySelector('[data-label]').textContent}`;
  }

  function boxes(offered, condition, put) {
    const chosen = condition.split(',').map((code) => code.trim());
    const inputs = offered.map(([code]) => element('input', {
      type: 'checkbox', value: code, checked: chosen.includes(code),
    }));
    for (const input of inputs) {
      input.addEventListener('change', () => {
        const codes = inputs.filter((each) => each.checked).map((each) => each.value);
        if (codes.length) put(codes.join(', '));
        else input.checked = true; // A condition needs at least one answer
      });
    }
    const labels = offered.map(([, label], at) => element('label', {}, inputs[at], ` ${label}`));
    return [element('span', { textContent: translate('is') }), ...labels];
  }

  function bounds(condition, put) {
    const [, low, high, least, most] = RANGE.exec(condition);
    const [from, to] = [low ?? least ?? '', high ?? most ?? ''].map((value) => (
      element('input', { type: 'text', inputMode: 'decimal', value })));
    const change = () => {
      const [a, b] = [from, to].map((input) => input.value.trim());
      if (a && b) put(`${a} to ${b}`);
      else if (a || b) put(a ? `at least ${a}` : `at most ${b}`);
    };
    for (const input of [from, to]) input.addEventListener('change', change);
    return [element('label', {}, translate('from'), ' ', from),
      element('label', {}, ' ', translate('to'), ' ', to)];
  }

  // Rename a question in the lines that use it: "smokes: yes", "smokes", "high if smokes: yes"
  function renamed(texts, before, after) {
    if (!before || !after) return;
    const exact = before.replace(/[^\w]/g, '\\$&');
    const use = new RegExp(`(^|;|\\sif\\s)(\\s*)${exact}(?=\\s*(?::|$))`, 'gm');
    for (const text of texts) text.value = text.value.replace(use, `$1$2${after}`);
  }

  // A line for the formula of a derived answer that uses a question
  function line(question, name, operation, field) {
    const { has } = builderQuestions;
    const number = has(question, 'number');
    const codes = number ? [] : choices(question, field).map(([code]) => code)
      .filter((code) => code !== 'prefer_not_to_say');
    if (operation === 'sum' || operation === 'mean') {
      // Only a single choice without an order has no usual points
      const usual = ['number', 'reword', 'boxes', 'goal'].some((part) => has(question, part));
      return usual ? name : `${name}: ${codes.map((code, at) => `${code} ${at}`).join(', ')}`;
    }
    const condition = number ? `at least ${field(question, 'min').value.trim() || '0'}` : codes[0];
    return `${name}: ${condition ?? ''}`;
  }

  return Object.freeze({ choices, element, learn, line, plainAscii, renamed, show, titled });
})();
