// The questions on the respondent's page: their answers, conditions and reports.
//
// A true answer exists only in inputs without a name: which one is checked, and what is typed.
// Conditions on earlier answers are evaluated here, on this device. A question that is not asked
// has a report too, for "not asked" or for the answer that the designer set. It goes through the
// randomizer, so nothing that is sent shows the way through the survey.
'use strict';

const questions = (() => {
  const DECLINED = 'prefer_not_to_say';
  const frozen = JSON.parse(document.getElementById('frozen').textContent);
  const { definition, tables } = frozen;
  const words = document.getElementById('answers').dataset;
  const filled = (text, ...parts) => text.replace(/\{(\d)\}/g, (_, place) => parts[place]);

  // Letters without marks, so that a search for "Đà" also finds "da"
  const letters = (text) => text.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
    .replace(/[đĐ]/g, 'd').toLowerCase().trim();

  // The same elements in an order that is drawn at random
  function inRandomOrder(elements) {
    const left = [...elements];
    return elements.map(() => left.splice(randomizer.pick(left.length, 1).indexOf(true), 1)[0]);
  }

  // All orders of a list, in the sequence of Python's itertools.permutations
  function permutations(list) {
    if (list.length < 2) return [list];
    return list.flatMap((first, place) =>
      permutations(list.filter((_, other) => other !== place)).map((rest) => [first, ...rest]));
  }

  // A question with one answer from a list. The other types override what differs.
  class Question {
    constructor(element, entry) {
      Object.assign(this, entry);
      this.element = element;
      this.inputs = [...element.querySelectorAll('input:not([data-search]), textarea, select')];
      // Only long lists have it.
      this.search = element.querySelector('[data-search]');
      // In the order of the definition, also after `shuffle`
      this.options = [...element.querySelectorAll(this.optionCss)];
      this.error = element.querySelector('.error');
      this.table = Object.keys(tables).includes(entry.name) ? tables[entry.name] : null;
      this.private = ![undefined, 'none', 'not_sent'].includes(entry.privacy);
      // The names of the questions that decide whether it is asked, or which choices are offered
      const conditions = [entry.relevant ?? {}, ...(entry.conditions ?? []).map(([each]) => each)];
      this.dependsOn = [...new Set(conditions.flatMap(Object.keys))];
      // Which of `conditions` hold; null before they were evaluated
      this.held = null;
      // The places of the choices that are not offered
      this.without = new Set();
      this.names = [...(entry.choices ?? []), ...(entry.prefer_not_to_say ? [DECLINED] : [])];
      // The names of the choices on the page, in the order of `options`
      this.listed = this.names;
      this.specialAnswers = (entry.prefer_not_to_say ? 1 : 0);
      const sometimes = entry.relevant || entry.may_be_empty;
      if (sometimes && entry.otherwise === undefined) this.specialAnswers += 1;
    }

    // The elements of the choices
    get optionCss() { return '.choice'; }

    // The texts come from the page, in its current language.
    get label() { return this.element.querySelector('.label, p')?.textContent ?? ''; }

    get labels() {
      return this.options.map((choice) => choice.querySelector('span').textContent);
    }

    get unit() { return this.element.querySelector('.unit')?.textContent; }

    get checked() { return this.inputs.findIndex((input) => input.checked); }

    get typed() { return this.inputs[0].value; }

    get lastInput() { return this.inputs[this.inputs.length - 1]; }

    // A skipped question counts as declined.
    get declined() {
      if (!this.prefer_not_to_say) return false;
      return this.lastInput.checked || (this.optional === true && this.empty);
    }

    get empty() { return this.checked < 0; }

    // Whether the person enters the answer. Notes, sections and derived answers have no input.
    get asks() { return true; }

    // Whether the answer, or a report on it, is sent.
    get sends() { return this.privacy !== 'not_sent'; }

    // Whether there can be several answers at once.
    get several() { return false; }

    // The answer as derived answers use it: the name of a choice. It is undefined without one.
    get answer() { return this.names[this.checked]; }

    // Whether a new page begins here.
    get begins() { return false; }

    // The number of answers without special answers.
    get count() { return this.names.length - (this.prefer_not_to_say ? 1 : 0); }

    // Whether there is a valid answer.
    get answered() { return this.declined || this.checked >= 0; }

    // Whether the answer meets the condition of a later question.
    meets(condition) {
      if (this.declined) return condition.includes(DECLINED);
      return condition.some((name) => this.inputs[this.names.indexOf(name)]?.checked);
    }

    // The answer in the words of the page, for the review.
    get said() {
      if (this.declined) return this.labels.pop();
      const chosen = this.labels.filter((_, place) => this.inputs[place].checked);
      return chosen.join(words.comma) || '–';
    }

    // The true answer as a row of the randomizer's table.
    row(asked) {
      if (asked) return this.declined ? this.count : this.checked;
      return this.otherwise === undefined
        ? this.count + this.specialAnswers - 1 : this.names.indexOf(this.otherwise);
    }

    // The answer to mix up, or to send as it is.
    taken(asked) {
      if (!this.answered && asked) throw new Error('A question is not answered.');
      return this.row(asked);
    }

    // The parts of the table that the draws depend on.
    get integers() {
      if (!this.table) return null;
      const { answers, far, kind, near, rows, sample, size, width } = this.table;
      const counted = { answers: answers.length, far, kind, near, rows, sample, size, width };
      // This drops undefined members.
      return JSON.parse(JSON.stringify(counted));
    }

    // The text to send: the randomizer's report, or the answer to a non-private question. All
    // reports of a question have the same length. `mix` gets the context of a draw and a function
    // of the draws, and decides where they come from. The context of rounding a number is the
    // question only, so a number that hardly changed mostly keeps its report.
    async report(taken, mix) {
      const { integers, name, table } = this;
      if (this.private) {
        const row = await mix(['round', name, integers], (draw) => this.tableRow(taken, draw));
        return mix(['report', name, integers, row], (draw) => randomizer.report(table, row, draw));
      }
      return this.reportAsGiven(taken);
    }

    reportAsGiven(taken) {
      return String(taken).padStart(String(this.count + this.specialAnswers - 1).length, '0');
    }

    // Whether the table has a row for each answer. Otherwise only some answers would fail.
    get hasItsRows() {
      const { table, specialAnswers } = this;
      const rows = (table.kind === undefined ? table.rows : table.answers).length - specialAnswers;
      return rows === this.rowsNeeded;
    }

    // The number of rows that the table needs, without those of special answers.
    get rowsNeeded() { return this.count; }

    tableRow(row) { return row; }

    // Whether the report of a private question says that the device did not pick the question.
    unsent(report) { return this.private && /^-+$/.test(report); }

    // The report in the words of the page: the labels of choices, or the value of a number. A
    // report that stands for no answer is shown as a numbered code.
    told(report) {
      const { table } = this;
      if (this.unsent(report)) return words.unreported;
      if (table?.kind === 'boxes') {
        // A line for the boxes that are reported as ticked, and a line for the others.
        const lines = [['1', words.ticked], ['0', words.unticked]].map(([bit, word]) => {
          const boxes = table.answers.filter((_, box) => report[box] === bit);
          return boxes.length && filled(words.line, word,
            boxes.map((name) => this.word(name)).join(words.comma));
        });
        return lines.filter(Boolean).join('\n');
      }
      if (table?.kind !== undefined) return this.bits(report, table.answers);
      return table ? this.toldByTable(Number(report)) : this.toldPlain(report);
    }

    word(name) { return this.labels[this.names.indexOf(name)] ?? words.notAsked; }

    bits(text, names) {
      const set = names.filter((_, place) => text[place] === '1');
      return set.map((name) => this.word(name)).join(words.comma) || '–';
    }

    toldByTable(place) {
      const { specialAnswers, table: { answers, reports } } = this;
      const named = place >= reports.length - specialAnswers || answers.length === reports.length;
      return named ? this.word(reports[place])
        : filled(this.element.dataset.code, place + 1, reports.length - specialAnswers);
    }

    toldPlain(report) { return this.labels[Number(report)] ?? words.notAsked; }

    // Stands in for the report of a question that was not picked, and is as long as a report.
    get dashes() {
      const { kind, rows, answers } = this.table;
      return '-'.repeat(kind === undefined ? String(rows[0].length - 1).length : answers.length);
    }

    // Called after a change of one input. Radio buttons without a name do not form a group, and
    // "prefer not to say" excludes all other answers.
    changed(index) {
      const input = this.inputs[index];
      if (input.type === 'radio') {
        this.inputs.forEach((other, place) => {
          other.checked = place === index;
          other.tabIndex = place === index ? 0 : -1;
        });
      } else if (this.prefer_not_to_say && input === this.lastInput) {
        if (input.checked) this.inputs.slice(0, -1).forEach((other) => { this.clear(other); });
      } else if (this.prefer_not_to_say) {
        this.lastInput.checked = false;
      }
      this.complain(false);
    }

    // Draws the order in which the choices stand on the page. Anchors and "prefer not to say" keep
    // their places. The answer plays no part: this happens before there is one, and nothing of the
    // order is sent.
    shuffle() {
      if (!this.random_order) return;
      this.held = null;
      const fixed = [DECLINED, ...(this.anchors ?? [])];
      const places = this.options.map((_, place) => place);
      const free = places.filter((place) => !fixed.includes(this.listed[place]));
      const drawn = inRandomOrder(free);
      this.order = places;
      free.forEach((place, number) => { this.order[place] = drawn[number]; });
      this.put(this.options);
      this.ordered.forEach((input, place) => {
        if (input.type !== 'radio') return;
        input.setAttribute('aria-posinset', place + 1);
        input.tabIndex = place === 0 ? 0 : -1;
      });
    }

    // The choices of the same page in another language, in the order of the definition
    movable(other) {
      const element = other.querySelector(`[data-question="${this.name}"]`);
      return [...element.querySelectorAll(this.optionCss)];
    }

    // Puts choices into the drawn order: those of this page, or of the same page in another
    // language.
    put(choices) {
      const [first] = choices[0].parentElement.querySelectorAll(this.optionCss);
      const before = first.previousElementSibling;
      before.after(...this.order.map((place) => choices[place]));
    }

    // The inputs in the order on the page. A section has an order of its questions, and no inputs.
    get ordered() {
      if (!this.order || !this.inputs.length) return this.inputs;
      return this.order.map((place) => this.inputs[place]);
    }

    // Whether none of its choices is offered, so that it is not asked
    get offersNone() { return this.without.size > 0 && this.without.size === this.count; }

    // Offers the choices whose conditions hold, and returns whether they changed. Other choices are
    // not chosen any more. Nothing on the page shows which choices were offered before.
    offer(hold) {
      if (!this.conditions) return false;
      const held = this.conditions.map(([condition]) => hold(condition));
      if (this.held && held.every((each, number) => each === this.held[number])) return false;
      this.held = held;
      this.without = new Set(this.conditions.flatMap(([, places], number) =>
        (held[number] ? [] : places)));
      for (const place of this.without) this.inputs[place].checked = false;
      const offered = (this.order ?? [...this.inputs.keys()])
        .filter((place) => !this.without.has(place)).map((place) => this.inputs[place]);
      for (const input of this.inputs) {
        for (const name of ['aria-posinset', 'aria-setsize']) input.removeAttribute(name);
      }
      offered.filter(({ type }) => type === 'radio').forEach((input, place) => {
        input.setAttribute('aria-posinset', place + 1);
        input.setAttribute('aria-setsize', offered.length);
      });
      if (this.search) {
        this.search.value = '';
        this.search.parentElement.hidden = offered.length <= Number(this.search.dataset.search);
      }
      this.complain(false);
      this.find();
      return true;
    }

    // Shows only the choices that are offered and contain the typed text, and the chosen ones.
    find() {
      const wanted = letters(this.search?.value ?? '');
      const found = wanted && this.labels.map((label) => letters(label).includes(wanted));
      let nothing = true;
      this.options.forEach((choice, place) => {
        const fits = !this.without.has(place) && (!wanted || found[place]);
        if (fits) nothing = false;
        choice.hidden = !fits && !this.inputs[place].checked;
      });
      if (this.search) this.element.querySelector('[data-nothing]').hidden = !nothing;
      if (this.checked < 0) this.reach();
    }

    // Tab leads to the first radio button that can be seen.
    reach() {
      const [first] = this.reachable;
      for (const input of this.inputs.filter(({ type }) => type === 'radio')) {
        input.tabIndex = input === first ? 0 : -1;
      }
    }

    // The inputs that can be seen, in the order on the page
    get reachable() {
      return this.ordered.filter((input) => !input.closest('.choice')?.hidden);
    }

    // Moves between the radio buttons of a question. It returns whether the key was one for that.
    move(event) {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      const { reachable } = this;
      const from = reachable.indexOf(event.target);
      const radio = from >= 0 && event.target.type === 'radio';
      if (!step || !radio || event.ctrlKey || event.altKey || event.metaKey) return false;
      event.preventDefault();
      const to = reachable[(from + step + reachable.length) % reachable.length];
      this.changed(this.inputs.indexOf(to));
      to.focus();
      return true;
    }

    clear(input) {
      input.checked = false;
      if (input.type !== 'radio' && input.type !== 'checkbox') input.value = '';
    }

    erase() {
      if (this.search) {
        this.search.value = '';
        this.find();
      }
      this.inputs.forEach((input) => { this.clear(input); });
      this.reach();
      this.complain(false);
    }

    complain(wrong) {
      if (!this.error) return;
      this.error.hidden = !wrong;
      if (wrong) this.faulty.setAttribute('aria-invalid', 'true');
      else this.faulty.removeAttribute('aria-invalid');
    }

    // The element that is marked as invalid.
    get faulty() { return this.element; }

    // Called when the person has left an input.
    left() {}

    // Writes its own texts again after a change of the language.
    translate() {}
  }

  class Boxes extends Question {
    // All boxes may stay empty.
    get answered() { return true; }

    get several() { return true; }

    // The names of the ticked boxes
    get answer() { return this.names.filter((_, place) => this.inputs[place].checked); }

    // Whether each box is ticked.
    row(asked) {
      const { count, specialAnswers, otherwise } = this;
      const all = Array.from({ length: count + specialAnswers }, (_, place) =>
        asked && Boolean(this.inputs[place]?.checked));
      if (asked) return all;
      return all.map((_, place) => (otherwise === undefined
        ? place === count + specialAnswers - 1 : otherwise.includes(this.names[place])));
    }

    reportAsGiven(taken) { return taken.map(Number).join(''); }

    // Whether one table has all combinations of boxes as its rows.
    get joint() { return this.table.kind === undefined; }

    get rowsNeeded() { return this.joint ? 2 ** this.count : this.count; }

    tableRow(row) {
      if (!this.joint) return row;
      const special = row.indexOf(true, this.count);
      if (special >= 0) return 2 ** this.count + special - this.count;
      return row.reduce((sum, ticked, place) => sum + (ticked ? 2 ** place : 0), 0);
    }

    toldByTable(place) { return this.toldPlain(this.table.reports[place]); }

    toldPlain(combination) {
      return /^[01]+$/.test(combination)
        ? this.bits(combination, [...this.names, '']) : this.word(combination);
    }
  }

  // Items, each with a menu for its place. The answer is one of all orders of the items.
  class Ranking extends Question {
    constructor(element, entry) {
      super(element, entry);
      this.menus = [...element.querySelectorAll('select')];
      this.status = element.querySelector('.order');
      this.orders = permutations(entry.choices.map((_, place) => place));
      const specialAnswers = this.listed.slice(entry.choices.length);
      const named = (order) => order.map((place) => entry.choices[place]).join('>');
      this.names = [...this.orders.map(named), ...specialAnswers];
      this.menus.forEach((menu, item) => {
        for (const button of menu.parentElement.querySelectorAll('button')) {
          button.addEventListener('click', () => this.step(item, Number(button.dataset.step)));
        }
      });
    }

    get optionCss() { return '.ranked, .choice'; }

    get labels() {
      const [items, specialAnswers] = [this.itemLabels, super.labels.slice(this.menus.length)];
      const orders = this.orders.map((order) => order.map((place) => items[place]).join(' > '));
      return [...orders, ...specialAnswers];
    }

    get itemLabels() { return super.labels.slice(0, this.menus.length); }

    // The place of each item, from 1; 0 if it has none.
    get places() { return this.menus.map(({ value }) => Number(value)); }

    get checked() {
      const { places } = this;
      return this.orders.findIndex((order) =>
        order.every((item, place) => places[item] === place + 1));
    }

    get empty() { return this.places.every((place) => place === 0); }

    get said() { return this.declined ? this.labels.pop() : this.labels[this.checked]; }

    get free() { return this.menus.map((_, place) => place + 1)
      .filter((place) => !this.places.includes(place)); }

    // After an item got a place, another item with this place gets the first free one. The last
    // item without a place gets the place that is left.
    changed(index) {
      const menu = this.menus[index];
      super.changed(index);
      if (menu?.value) {
        const other = this.menus.find((each) => each !== menu && each.value === menu.value);
        if (other) [other.value] = this.free;
        const open = this.menus.filter(({ value }) => !value);
        if (open.length === 1) [open[0].value] = this.free;
      }
      this.tell();
    }

    // Moves an item one place up or down. An item without a place gets the first or last free one.
    step(item, by) {
      const menu = this.menus[item];
      const { free } = this;
      const place = menu.value ? Number(menu.value) + by : free[by < 0 ? 0 : free.length - 1];
      if (place < 1 || place > this.menus.length) return;
      const other = this.menus.find(({ value }) => Number(value) === place);
      if (other) other.value = menu.value;
      menu.value = place;
      menu.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }

    // Says the order so far, for screen readers and as a check.
    tell() {
      const { itemLabels, places } = this;
      const items = this.menus.map((_, place) => itemLabels[places.indexOf(place + 1)] ?? '–');
      this.status.textContent = this.empty ? '' : items.join(' > ');
    }

    erase() {
      super.erase();
      this.status.textContent = '';
    }

    translate() { this.tell(); }

    get faulty() { return this.menus.find(({ value }) => !value) ?? this.menus[0]; }

    complain(wrong) {
      for (const menu of this.menus) menu.removeAttribute('aria-invalid');
      super.complain(wrong);
    }
  }

  class NumberTyped extends Question {
    constructor(element, entry) {
      super(element, entry);
      this.rounded = element.querySelector('.rounded');
    }

    get count() { return numbers.steps(this, this.max) + 1; }

    // The number as it was typed; NaN if it is none.
    get number() { return numbers.typed(this.typed, this); }

    // The typed number in steps above the minimum, rounded; null if it is not a valid answer.
    get steps() { return numbers.steps(this, this.number); }

    get empty() { return !this.typed.trim(); }

    // The rounded number, which is the answer.
    get value() { return numbers.valueAt(this, this.steps); }

    get answer() { return this.steps === null ? undefined : this.value; }

    get answered() { return this.declined || this.steps !== null; }

    meets(condition) {
      const { value } = this;
      return !this.declined && this.steps !== null &&
        value >= (condition.min ?? -Infinity) && value <= (condition.max ?? Infinity);
    }

    withUnit(value) {
      return [numbers.written(value), this.unit].filter((part) => part !== undefined).join(' ');
    }

    // The number as the page understood it.
    get said() { return this.declined ? this.labels.pop() : this.withUnit(this.value); }

    // The first reason why the typed text is not an answer.
    get fault() {
      const { max, min, number, typed } = this;
      if (this.empty) return 'empty';
      if (Number.isNaN(number)) return numbers.grouped(typed) ? 'grouped' : 'unread';
      return number < min ? 'low' : number > max && 'high';
    }

    complain(wrong) {
      if (wrong) this.error.textContent = this.error.dataset[this.fault];
      super.complain(wrong);
    }

    // Shows the number that counts, if it is not the typed one.
    left() {
      const { number, steps, value } = this;
      this.rounded.textContent = steps === null || number === value ? ''
        : filled(this.rounded.dataset.words, numbers.written(number), numbers.written(value));
    }

    changed(index) {
      super.changed(index);
      this.rounded.textContent = '';
    }

    erase() {
      super.erase();
      [this.rounded.textContent, this.error.textContent] = ['', ''];
    }

    translate() {
      if (!this.error.hidden) this.complain(true);
      if (this.rounded.textContent) this.left();
    }

    // The number in steps above the minimum, or the row of a special answer.
    row(asked) {
      if (asked) return this.declined ? this.count : this.steps;
      return this.otherwise === undefined
        ? this.count + this.specialAnswers - 1 : numbers.steps(this, this.otherwise);
    }

    get rowsNeeded() { return Math.ceil((this.count - 1) / this.table.width) + 1; }

    tableRow(row, draw) {
      const { table, count, specialAnswers } = this;
      const rounded = randomizer.round(Math.min(row, count - 1), table.width, draw);
      return row < count ? rounded : table.rows.length - specialAnswers + row - count;
    }

    toldByTable(place) {
      const { reports } = this.table;
      const isValue = place < reports.length - this.specialAnswers;
      const value = isValue && !Number.isNaN(Number(reports[place]));
      return value ? this.withUnit(reports[place]) : super.toldByTable(place);
    }

    toldPlain(report) {
      const place = Number(report);
      if (place >= this.count) return this.labels[place - this.count] ?? words.notAsked;
      return this.withUnit(numbers.valueAt(this, place));
    }

    get faulty() { return this.inputs[0]; }
  }

  class FreeText extends Question {
    // A text may stay empty.
    get answered() { return true; }

    get said() { return this.typed || '–'; }

    // The text without what the server refuses: zero characters and unpaired surrogates.
    taken(asked) {
      return asked ? this.typed.trim().replace(/[\0\ud800-\udfff]/gu, '\ufffd') : '';
    }

    reportAsGiven(taken) { return taken; }

    told(report) { return report || '–'; }
  }

  // A date, such as 2026-01-31. It may stay empty, but not be wrong.
  class DateTyped extends FreeText {
    get answered() {
      const [input] = this.inputs;
      const { earliest, latest, typed } = this;
      if (!typed) return !input.validity.badInput;
      const day = /^\d{4}-\d\d-\d\d$/.test(typed) ? new Date(`${typed}T00:00Z`) : new Date(NaN);
      return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(typed)
        && typed >= earliest && typed <= latest;
    }

    get typed() { return this.inputs[0].value.trim(); }

    get said() { return this.written(this.typed); }

    told(report) { return this.written(report); }

    // A date in the language of the page. The year is always that of the Gregorian calendar, and in
    // Thai its era is named, because Thai calendars count 543 years more.
    written(text) {
      const day = new Date(`${text}T00:00Z`);
      if (Number.isNaN(day.getTime())) return text || '–';
      const { lang } = document.documentElement;
      const era = lang === 'th' ? 'short' : undefined;
      const options = { day: 'numeric', era, month: 'long', year: 'numeric', timeZone: 'UTC' };
      const locale = lang === 'en' ? 'en-GB' : `${lang}-u-ca-gregory`;
      const local = new Intl.DateTimeFormat(locale, options).format(day);
      // Browsers write "26 tháng 11, 2026", which is not usual in Vietnam.
      return lang === 'vi' ? local.replace(',', ' năm') : local;
    }

    get faulty() { return this.inputs[0]; }
  }

  // An answer that the page calculates, as a question of the class that its type names. It has no
  // input, and its element only holds texts for the review.
  const calculated = (Kind) => class extends Kind {
    get asks() { return false; }

    get answered() { return true; }

    // What the page calculates: the name of a choice, or a number that is not rounded yet; null
    // for "prefer not to say".
    get result() { return this.derived.random ? this.arm : derived.answer(this, named, asked); }

    get answer() { return this.result; }

    // In a changed definition, a result may fit no answer. The page then takes the first one. A
    // page that failed for some results only would tell them.
    get declined() { return this.result === null && this.prefer_not_to_say === true; }

    get checked() { return Math.max(0, this.names.indexOf(this.answer)); }

    // Draws the experimental arm, before there is any answer. After a reload, it is the same.
    shuffle(before) {
      const { derived: { random }, name, names } = this;
      if (random) this.arm = names.find((each) => each === before?.[name]) ?? this.drawArm();
    }

    // In the order of the alphabet, so that another order of the choices does not change the arm.
    get weights() { return Object.entries(this.derived.random).sort(); }

    drawArm(word) {
      const { weights } = this;
      const drawn = randomizer.randomize([weights.map(([, weight]) => weight)], 0, word);
      return weights[drawn][0];
    }

    erase() {}

    translate() {}
  };

  class DerivedChoice extends calculated(Question) {
    constructor(element, entry) {
      super(element, entry);
      // The designer lists no choices of a joint question.
      if (entry.derived.joint) this.names = this.table.answers;
    }

    // The names of the questions behind a joint question; undefined for others.
    get parts() { return this.derived.joint; }

    get hasItsRows() {
      if (!this.parts) return super.hasItsRows;
      const [needed, found] = [derived.combinations(this.parts, named), new Set(this.names)];
      return needed.size === this.names.length && [...needed].every((name) => found.has(name));
    }

    // The combinations in a report: one, or the chosen ones of a set.
    combinationsIn(report) {
      if (this.table.kind === undefined) return [this.names[Number(report)]];
      return this.names.filter((_, place) => report[place] === '1');
    }

    // What a report says of each question behind a joint question: its part of each combination.
    toldParts(report) {
      const sent = this.unsent(report) ? [] : this.combinationsIn(report);
      return this.parts.map((name, place) => {
        const said = sent.map((each) => named.get(name).word(each.split('+')[place]));
        return [named.get(name), said.join(words.comma) || words.unreported];
      });
    }

    meets(condition) { return condition.includes(this.answer ?? DECLINED); }

    get said() { return this.labels[this.row(true)]; }
  }

  class DerivedNumber extends calculated(NumberTyped) {
    get number() {
      const { max, min, result } = this;
      return Number.isFinite(result) ? Math.min(max, Math.max(min, result)) : min;
    }

    // Other derived answers use the rounded number, which is the answer.
    get answer() { return this.declined ? null : this.value; }
  }

  class Note extends Question {
    get asks() { return false; }

    get sends() { return false; }

    get answered() { return true; }
  }

  // The heading of a section. `questions` are the questions and notes of the section, in the order
  // of the definition.
  class Section extends Note {
    get begins() { return true; }

    // The groups of questions that change places. A question is in the group of the questions that
    // its condition names, and stays behind them. A note without such a condition is in no group.
    get groups() {
      const groups = [];
      for (const question of this.questions) {
        const named = question.dependsOn;
        const before = groups.filter((group) => group.some(({ name }) => named.includes(name)));
        const joined = [...before.flat(), question].sort((one, other) =>
          this.questions.indexOf(one) - this.questions.indexOf(other));
        if (before.length) {
          groups.splice(groups.indexOf(before[0]), 1, joined);
          before.slice(1).forEach((group) => groups.splice(groups.indexOf(group), 1));
        } else if (question.asks) {
          groups.push(joined);
        }
      }
      return groups;
    }

    // Draws the order of the questions, as `shuffle` of a question draws that of its choices.
    shuffle() {
      if (!this.random_order) return;
      const { groups, questions: own } = this;
      const moving = new Set(groups.flat());
      const drawn = inRandomOrder(groups).flat();
      this.order = own.map((question) =>
        own.indexOf(moving.has(question) ? drawn.shift() : question));
      this.put(own.map(({ element }) => element));
    }

    movable(other) {
      return this.questions.map(({ name }) => other.querySelector(`[data-question="${name}"]`));
    }

    put(elements) {
      if (!elements.length) return;
      const heading = elements[0].parentElement.querySelector(`[data-question="${this.name}"]`);
      heading.after(...this.order.map((place) => elements[place]));
    }
  }

  const DERIVED = { choice: DerivedChoice, number: DerivedNumber };

  // The class for each reader that a question type names (survey/definition/types/).
  const READERS = {
    boxes: Boxes,
    choice: Question,
    date: DateTyped,
    note: Note,
    number: NumberTyped,
    ranking: Ranking,
    section: Section,
    text: FreeText,
  };

  // In the order of the page
  const all = [...document.querySelectorAll('[data-question]')].map((element, number) => {
    const entry = definition.questions[number];
    const classes = entry.derived === undefined ? READERS : DERIVED;
    return new classes[element.dataset.reader](element, entry);
  });
  all.forEach((section, place) => {
    if (!section.begins) return;
    const rest = all.slice(place + 1);
    const end = rest.findIndex(({ begins }) => begins);
    section.questions = end < 0 ? rest : rest.slice(0, end);
    for (const question of section.questions) question.section = section;
  });
  const named = new Map(all.map((question) => [question.name, question]));
  const fields = all.filter((question) => question.sends);
  // The texts, if the server stores them apart from the other answers.
  const apart = fields.filter((question) => definition.texts_apart && question instanceof FreeText);

  // The joint question that a question is behind.
  const together = ({ name }) => fields.find(({ parts }) => parts?.includes(name));
  const { sample = null } = definition.budget?.per_respondent ?? {};

  // The questions that the condition or a derived answer depends on, directly or through others.
  function needed(question) {
    const names = [...question.dependsOn];
    if (question.derived) names.push(...derived.sources(question.derived));
    return names.flatMap((name) => [named.get(name), ...needed(named.get(name))]);
  }

  // The questions with a report, and the questions to show. In a sampled survey, these are the
  // picked questions, and those they depend on. The condition of a note adds none.
  let reported = new Set(fields);
  let shown = new Set(all);

  // The names of `sample` private questions, picked at random.
  function draw(word) {
    const candidates = fields.filter((question) => question.private);
    const taken = randomizer.pick(candidates.length, sample, word);
    return candidates.filter((_, place) => taken[place]).map((question) => question.name);
  }

  function take(picked) {
    reported = new Set(fields.filter(({ name, private: p }) => !p || picked.includes(name)));
    const reads = (question) => !question.asks && !question.sends;
    shown = new Set(all.filter((question) => reads(question) || reported.has(question)));
    for (const question of reported) needed(question).forEach((other) => shown.add(other));
  }

  // The order of choices and questions is drawn once for each person.
  let shuffled = false;
  // `before` has the experimental arms from before a reload.
  function shuffle(before) {
    if (shuffled) return;
    shuffled = true;
    [...all].forEach((question) => question.shuffle(before));
    const { DOCUMENT_POSITION_FOLLOWING: FOLLOWS } = Node;
    all.sort((one, other) =>
      (one.element.compareDocumentPosition(other.element) & FOLLOWS ? -1 : 1));
  }

  // Takes the experimental arms from `recalled`, which gives the same arm in each wave. It gets the
  // context of the draw, as in `report`. The context has no answer, so the arm shows nothing about
  // answers.
  async function recallArms(recalled) {
    await Promise.all(all.filter(({ arm }) => arm !== undefined).map(async (question) => {
      const context = ['arm', question.name, question.weights];
      question.arm = await recalled(context, (word) => question.drawArm(word));
    }));
  }

  // The experimental arms by their names; undefined if there are none.
  function arms() {
    const drawn = all.filter(({ arm }) => arm !== undefined);
    return drawn.length ? Object.fromEntries(drawn.map(({ name, arm }) => [name, arm])) : undefined;
  }

  // Puts the same page in another language into the order of this page.
  function shuffleAlike(other) {
    for (const question of all.filter(({ order }) => order)) question.put(question.movable(other));
  }

  // Whether the answers so far meet conditions on earlier questions.
  const hold = (conditions) => Object.entries(conditions).every(([name, condition]) =>
    asked(named.get(name)) && named.get(name).meets(condition));

  // Whether the answers so far lead to a question.
  function asked(question) {
    return shown.has(question) && hold(question.relevant ?? {}) && !question.offersNone;
  }

  // Offers the choices that the answers so far lead to, in order: a choice that is not offered any
  // more may decide which later ones are. It returns the questions whose choices changed.
  function offer() {
    return all.filter((question) => question.offer(hold));
  }

  // The questions that may be asked, whatever the answers are.
  const possible = () => all.filter((question) => shown.has(question));

  // The report of every field, asked or not, with dashes for those that were not picked. All
  // answers are read before the first draw and before this returns its promise.
  async function reports(mix) {
    const rows = fields.map((question) =>
      (reported.has(question) ? question.taken(asked(question)) : null));
    const made = fields.map((question, place) =>
      (rows[place] === null ? question.dashes : question.report(rows[place], mix)));
    const texts = await Promise.all(made);
    return Object.fromEntries(fields.map(({ name }, place) => [name, texts[place]]));
  }

  return {
    all, apart, arms, asked, definition, draw, fields, frozen, needed, offer, possible, recallArms,
    reports, sample, take,
    picked: (question) => (together(question)
      ? fields.some((each) => each.parts?.includes(question.name) && reported.has(each))
      : reported.has(question)),
    together,
    shuffle,
    shuffleAlike,
    shuffleAgain: () => { shuffled = false; },
  };
})();
