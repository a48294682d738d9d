// The questions on the respondent's page: what is answered, what is asked, what is reported.
//
// A true answer lives only in which input is checked and in what is typed into one without a name.
// Whether a question is asked may depend on earlier answers; that is decided here, on this device.
// A question that is not asked is reported on all the same, as "not asked" or as the designer says,
// and goes through its randomizer, so that nothing that is sent tells the way through the survey.
'use strict';

const questions = (() => {
  const DECLINED = 'prefer_not_to_say';
  const frozen = JSON.parse(document.getElementById('frozen').textContent);
  const { definition, tables } = frozen;
  const words = document.getElementById('answers').dataset;
  const filled = (text, ...parts) => text.replace(/\{(\d)\}/g, (_, place) => parts[place]);

  class Question {
    constructor(element, entry) {
      Object.assign(this, entry);
      this.element = element;
      this.inputs = [...element.querySelectorAll('input, textarea')];
      this.error = element.querySelector('.error');
      this.table = Object.keys(tables).includes(entry.name) ? tables[entry.name] : null;
      this.private = entry.privacy !== undefined && entry.privacy !== 'none';
      this.names = [...(entry.choices ?? []), ...(entry.prefer_not_to_say ? [DECLINED] : [])];
      this.extras = (entry.prefer_not_to_say ? 1 : 0);
      if (entry.relevant && entry.otherwise === undefined) this.extras += 1;
    }

    // The texts stand on the page, in the language that it is in just now
    get label() { return this.element.querySelector('.label, p').textContent; }

    get labels() {
      return [...this.element.querySelectorAll('.choice span')].map((span) => span.textContent);
    }

    get unit() { return this.element.querySelector('.unit')?.textContent; }

    get checked() { return this.inputs.findIndex((input) => input.checked); }

    get typed() { return this.inputs[0].value; }

    get lastInput() { return this.inputs[this.inputs.length - 1]; }

    get declined() { return Boolean(this.prefer_not_to_say) && this.lastInput.checked; }

    // How many answers there are beside the extras
    get count() {
      if (this.type === 'number') return numbers.steps(this, this.max) + 1;
      return this.names.length - (this.prefer_not_to_say ? 1 : 0);
    }

    // The steps of the number that is typed, null if it cannot be taken
    get steps() { return numbers.steps(this, numbers.typed(this.typed)); }

    // Whether there is an answer that can be taken; boxes and texts may stay empty
    get answered() {
      if (['note', 'text', 'select_multiple'].includes(this.type)) return true;
      if (this.type === 'number') return this.declined || this.steps !== null;
      return this.checked >= 0;
    }

    // Whether an answer meets the condition of a later question
    meets(condition) {
      if (this.type === 'number') {
        const value = numbers.typed(this.typed);
        return !this.declined && this.steps !== null &&
          value >= (condition.min ?? -Infinity) && value <= (condition.max ?? Infinity);
      }
      return this.names.some((name, place) =>
        this.inputs[place].checked && condition.includes(name));
    }

    withUnit(value) {
      return [numbers.written(value), this.unit].filter((part) => part !== undefined).join(' ');
    }

    // In the words of the page, for the list before sending; of a number what was understood
    get said() {
      if (this.type === 'text') return this.typed || '–';
      if (this.declined) return this.labels.pop();
      if (this.type === 'number') return this.withUnit(numbers.typed(this.typed));
      const chosen = this.labels.filter((_, place) => this.inputs[place].checked);
      return chosen.join(words.comma) || '–';
    }

    // The true answer in the order of the randomizer's rows: for boxes a list of true and false,
    // for a number its steps
    row(asked) {
      const { count, extras, otherwise } = this;
      if (this.type === 'select_multiple') {
        const all = Array.from({ length: count + extras }, (_, place) =>
          asked && Boolean(this.inputs[place]?.checked));
        if (asked) return all;
        return all.map((_, place) => (otherwise === undefined
          ? place === count + extras - 1 : otherwise.includes(this.names[place])));
      }
      if (!asked) {
        if (otherwise === undefined) return count + extras - 1;
        const [number, names] = [this.type === 'number', this.names];
        return number ? numbers.steps(this, otherwise) : names.indexOf(otherwise);
      }
      if (this.type !== 'number') return this.checked;
      return this.declined ? count : this.steps;
    }

    // What is to be sent, or mixed up: the text that is typed, or the row of the answer
    taken(asked) {
      // without what the server would refuse: zero characters, and halves of a pair
      if (this.type === 'text') {
        return asked ? this.typed.trim().replace(/[\0\ud800-\udfff]/gu, '\ufffd') : '';
      }
      if (!this.answered && asked) throw new Error('A question is not answered.');
      return this.row(asked);
    }

    // What of the table the draws depend on
    get integers() {
      if (!this.table) return null;
      const { answers, far, kind, near, rows, sample, size, width } = this.table;
      const counted = { answers: answers.length, far, kind, near, rows, sample, size, width };
      return JSON.parse(JSON.stringify(counted)); // without what is undefined
    }

    // What is sent: the randomizer's report, or of a plain question the answer, padded alike.
    // `mix` gets what a draw is for and a function of the draws; it says where they come from. How
    // a number is rounded depends on its question alone, so that one that hardly changed stays put
    async report(taken, mix) {
      const { integers, name, table, type } = this;
      if (this.private) {
        const row = await mix(['round', name, integers], (draw) => this.tableRow(taken, draw));
        return mix(['report', name, integers, row], (draw) => randomizer.report(table, row, draw));
      }
      if (type === 'text') return taken;
      if (type === 'select_multiple') return taken.map(Number).join('');
      return String(taken).padStart(String(this.count + this.extras - 1).length, '0');
    }

    // Whether the table has a row for each answer; else only some answers would fail
    get hasItsRows() {
      const { table, count, extras, type } = this;
      const rows = (table.kind === undefined ? table.rows : table.answers).length - extras;
      if (type === 'number') return rows === Math.ceil((count - 1) / table.width) + 1;
      if (type === 'select_multiple' && table.kind === undefined) return rows === 2 ** count;
      return rows === count;
    }

    tableRow(row, draw) {
      const { table, count, extras } = this;
      if (this.type === 'number') {
        const rounded = randomizer.round(Math.min(row, count - 1), table.width, draw);
        return row < count ? rounded : table.rows.length - extras + row - count;
      }
      if (this.type === 'select_multiple' && table.kind === undefined) { // all combinations
        const extra = row.indexOf(true, count);
        if (extra >= 0) return 2 ** count + extra - count;
        return row.reduce((sum, ticked, place) => sum + (ticked ? 2 ** place : 0), 0);
      }
      return row;
    }

    // What a report says, in the words of the page: names of choices, or the value of a number;
    // a report that stands for no answer has a number of its own
    told(report) {
      if (this.type === 'text') return report || '–';
      const { count, extras, table, names, labels } = this;
      const { line, no, notAsked, sign, unreported, yes } = words;
      if (/^-+$/.test(report)) return unreported;
      const word = (name) => labels[names.indexOf(name)] ?? notAsked;
      const bits = (text, of) =>
        of.filter((_, place) => text[place] === '1').map(word).join(words.comma) || '–';
      if (table?.kind === 'boxes') { // a line for each that is reported
        return table.answers.flatMap((name, box) => (report[box] === '-' ? []
          : [filled(line, word(name), report[box] === '1' ? yes : no)])).join('\n');
      }
      if (table?.kind !== undefined) return bits(report, table.answers);
      const place = Number(report);
      if (this.type === 'select_multiple') {
        const combination = table ? table.reports[place] : report;
        return /^[01]+$/.test(combination) ? bits(combination, [...names, '']) : word(combination);
      }
      if (table) {
        const { answers, reports } = table;
        if (place >= reports.length - extras) return word(reports[place]);
        const value = this.type === 'number' && !Number.isNaN(Number(reports[place]));
        if (value) return this.withUnit(reports[place]);
        return answers.length === reports.length ? word(reports[place]) : filled(sign, place + 1);
      }
      if (this.type !== 'number') return labels[place] ?? notAsked;
      if (place >= count) return labels[place - count] ?? notAsked;
      return this.withUnit(Number((this.min + place * this.step).toPrecision(12)));
    }

    // In place of a report where chance did not pick the question: as long as a report
    get dashes() {
      const { kind, rows, answers } = this.table;
      return '-'.repeat(kind === undefined ? String(rows[0].length - 1).length : answers.length);
    }

    // After a change of one input: radio buttons without a name know nothing of each other, and
    // "prefer not to say" stands alone
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

    // The keys that move between the radio buttons of a group; whether that was one
    move(event) {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      const from = this.inputs.indexOf(event.target);
      const radio = from >= 0 && event.target.type === 'radio';
      if (!step || !radio || event.ctrlKey || event.altKey || event.metaKey) return false;
      event.preventDefault();
      const to = (from + step + this.inputs.length) % this.inputs.length;
      this.changed(to);
      this.inputs[to].focus();
      return true;
    }

    clear(input) {
      input.checked = false;
      if (input.type !== 'radio' && input.type !== 'checkbox') input.value = '';
    }

    erase() {
      this.inputs.forEach((input, index) => {
        this.clear(input);
        if (input.type === 'radio') input.tabIndex = index === 0 ? 0 : -1;
      });
      this.complain(false);
    }

    complain(wrong) {
      if (!this.error) return;
      this.error.hidden = !wrong;
      const target = this.type === 'number' ? this.inputs[0] : this.element;
      if (wrong) target.setAttribute('aria-invalid', 'true');
      else target.removeAttribute('aria-invalid');
    }
  }

  const all = [...document.querySelectorAll('[data-question]')].map((element, number) =>
    new Question(element, definition.questions[number]));
  const named = new Map(all.map((question) => [question.name, question]));
  const fields = all.filter((question) => question.type !== 'note');
  const { sample = null } = definition.budget?.per_respondent ?? {};

  // Those on which the asking depends, as far back as it goes
  function needed(question) {
    return Object.keys(question.relevant ?? {}).flatMap((name) =>
      [named.get(name), ...needed(named.get(name))]);
  }

  // Which questions are reported on, and which are shown: all, or what chance picked and what is
  // needed to know whether to ask it; for the sake of a note nothing is asked
  let reported = new Set(fields);
  let shown = new Set(all);

  // Names of as many private questions as are reported on, picked by chance
  function draw(word) {
    const candidates = fields.filter((question) => question.private);
    const taken = randomizer.pick(candidates.length, sample, word);
    return candidates.filter((_, place) => taken[place]).map((question) => question.name);
  }

  function take(picked) {
    reported = new Set(fields.filter(({ name, private: p }) => !p || picked.includes(name)));
    shown = new Set(all.filter((question) => question.type === 'note' || reported.has(question)));
    for (const question of reported) needed(question).forEach((other) => shown.add(other));
  }

  // Whether a question is asked, by the answers so far
  function asked(question) {
    if (!shown.has(question)) return false;
    return Object.entries(question.relevant ?? {}).every(([name, condition]) =>
      asked(named.get(name)) && named.get(name).meets(condition));
  }

  // Every field, whatever was asked; dashes for what chance did not pick. All answers are read at
  // once, before the first draw and before this returns its promise
  async function reports(mix) {
    const rows = fields.map((question) =>
      (reported.has(question) ? question.taken(asked(question)) : null));
    const made = fields.map((question, place) =>
      (rows[place] === null ? question.dashes : question.report(rows[place], mix)));
    const texts = await Promise.all(made);
    return Object.fromEntries(fields.map(({ name }, place) => [name, texts[place]]));
  }

  return { all, asked, definition, draw, fields, frozen, needed, reports, sample, take };
})();
