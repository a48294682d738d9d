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

  // One answer of a list; the other kinds of questions differ from it
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

    // Notes alone ask nothing
    get asks() { return true; }

    // How many answers there are beside the extras
    get count() { return this.names.length - (this.prefer_not_to_say ? 1 : 0); }

    // Whether there is an answer that can be taken
    get answered() { return this.checked >= 0; }

    // Whether an answer meets the condition of a later question
    meets(condition) {
      return this.names.some((name, place) =>
        this.inputs[place].checked && condition.includes(name));
    }

    // In the words of the page, for the list before sending
    get said() {
      if (this.declined) return this.labels.pop();
      const chosen = this.labels.filter((_, place) => this.inputs[place].checked);
      return chosen.join(words.comma) || '–';
    }

    // The true answer in the order of the randomizer's rows
    row(asked) {
      if (asked) return this.checked;
      return this.otherwise === undefined
        ? this.count + this.extras - 1 : this.names.indexOf(this.otherwise);
    }

    // What is to be sent, or mixed up
    taken(asked) {
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
      const { integers, name, table } = this;
      if (this.private) {
        const row = await mix(['round', name, integers], (draw) => this.tableRow(taken, draw));
        return mix(['report', name, integers, row], (draw) => randomizer.report(table, row, draw));
      }
      return this.plainReport(taken);
    }

    plainReport(taken) {
      return String(taken).padStart(String(this.count + this.extras - 1).length, '0');
    }

    // Whether the table has a row for each answer; else only some answers would fail
    get hasItsRows() {
      const { table, extras } = this;
      const rows = (table.kind === undefined ? table.rows : table.answers).length - extras;
      return rows === this.rowsNeeded;
    }

    // How many rows its table has, without those of the extras
    get rowsNeeded() { return this.count; }

    tableRow(row) { return row; }

    // What a report says, in the words of the page: names of choices, or the value of a number;
    // a report that stands for no answer has a number of its own
    told(report) {
      const { table } = this;
      if (/^-+$/.test(report)) return words.unreported;
      if (table?.kind === 'boxes') { // a line for each that is reported
        return table.answers.flatMap((name, box) => (report[box] === '-' ? [] : [filled(
          words.line, this.word(name), report[box] === '1' ? words.yes : words.no)])).join('\n');
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
      const { extras, table: { answers, reports } } = this;
      const named = place >= reports.length - extras || answers.length === reports.length;
      return named ? this.word(reports[place]) : filled(words.sign, place + 1);
    }

    toldPlain(report) { return this.labels[Number(report)] ?? words.notAsked; }

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
      if (wrong) this.faulty.setAttribute('aria-invalid', 'true');
      else this.faulty.removeAttribute('aria-invalid');
    }

    // The element that a fault is of
    get faulty() { return this.element; }
  }

  class Boxes extends Question {
    get answered() { return true; } // all may stay empty

    // A list of true and false
    row(asked) {
      const { count, extras, otherwise } = this;
      const all = Array.from({ length: count + extras }, (_, place) =>
        asked && Boolean(this.inputs[place]?.checked));
      if (asked) return all;
      return all.map((_, place) => (otherwise === undefined
        ? place === count + extras - 1 : otherwise.includes(this.names[place])));
    }

    plainReport(taken) { return taken.map(Number).join(''); }

    get joint() { return this.table.kind === undefined; } // all combinations in one table

    get rowsNeeded() { return this.joint ? 2 ** this.count : this.count; }

    tableRow(row) {
      if (!this.joint) return row;
      const extra = row.indexOf(true, this.count);
      if (extra >= 0) return 2 ** this.count + extra - this.count;
      return row.reduce((sum, ticked, place) => sum + (ticked ? 2 ** place : 0), 0);
    }

    toldByTable(place) { return this.toldPlain(this.table.reports[place]); }

    toldPlain(combination) {
      return /^[01]+$/.test(combination)
        ? this.bits(combination, [...this.names, '']) : this.word(combination);
    }
  }

  class NumberTyped extends Question {
    get count() { return numbers.steps(this, this.max) + 1; }

    // The steps of the number that is typed, null if it cannot be taken
    get steps() { return numbers.steps(this, numbers.typed(this.typed)); }

    get answered() { return this.declined || this.steps !== null; }

    meets(condition) {
      const value = numbers.typed(this.typed);
      return !this.declined && this.steps !== null &&
        value >= (condition.min ?? -Infinity) && value <= (condition.max ?? Infinity);
    }

    withUnit(value) {
      return [numbers.written(value), this.unit].filter((part) => part !== undefined).join(' ');
    }

    // What was understood
    get said() {
      return this.declined ? this.labels.pop() : this.withUnit(numbers.typed(this.typed));
    }

    // Its steps
    row(asked) {
      if (asked) return this.declined ? this.count : this.steps;
      return this.otherwise === undefined
        ? this.count + this.extras - 1 : numbers.steps(this, this.otherwise);
    }

    get rowsNeeded() { return Math.ceil((this.count - 1) / this.table.width) + 1; }

    tableRow(row, draw) {
      const { table, count, extras } = this;
      const rounded = randomizer.round(Math.min(row, count - 1), table.width, draw);
      return row < count ? rounded : table.rows.length - extras + row - count;
    }

    toldByTable(place) {
      const { reports } = this.table;
      const value = place < reports.length - this.extras && !Number.isNaN(Number(reports[place]));
      return value ? this.withUnit(reports[place]) : super.toldByTable(place);
    }

    toldPlain(report) {
      const place = Number(report);
      if (place >= this.count) return this.labels[place - this.count] ?? words.notAsked;
      return this.withUnit(Number((this.min + place * this.step).toPrecision(12)));
    }

    get faulty() { return this.inputs[0]; }
  }

  class FreeText extends Question {
    get answered() { return true; } // it may stay empty

    get said() { return this.typed || '–'; }

    // Without what the server would refuse: zero characters, and halves of a pair
    taken(asked) {
      return asked ? this.typed.trim().replace(/[\0\ud800-\udfff]/gu, '\ufffd') : '';
    }

    plainReport(taken) { return taken; }

    told(report) { return report || '–'; }
  }

  class Note extends Question {
    get asks() { return false; }

    get answered() { return true; }
  }

  // By the name that a type of question gives its reader (survey/definition/types/)
  const READERS = {
    boxes: Boxes, choice: Question, note: Note, number: NumberTyped, text: FreeText,
  };

  const all = [...document.querySelectorAll('[data-question]')].map((element, number) =>
    new READERS[element.dataset.reader](element, definition.questions[number]));
  const named = new Map(all.map((question) => [question.name, question]));
  const fields = all.filter((question) => question.asks);
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
    shown = new Set(all.filter((question) => !question.asks || reported.has(question)));
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
