// The respondent's page: reads the answers, has each mixed up once, sends the result.
//
// A true answer lives only in which input is checked and in the text of the review list. The
// inputs have no name, so no form could send them. At the press of "Mix up and send" all reports
// are drawn at once and frozen as one string; from then on only that string is sent, however
// often it takes, and the answers are erased before the first byte leaves. Until the server has
// confirmed it, the frozen string is kept for this tab (sessionStorage), so that a reload sends
// the same bytes again and never draws anew: fresh draws of one answer could be averaged. After
// that only the fact that it was sent is kept. True answers to private questions are kept nowhere.
'use strict';

(() => {
  const RETRY_SECONDS = [1, 2, 4, 8];
  const TIMEOUT_SECONDS = 20;
  const find = (id) => document.getElementById(id);
  const page = find('page');
  const form = find('answers');
  const { frozen } = questions;
  const key = `candor ${frozen.fingerprint}`;
  const asked = () => questions.all.filter(questions.asked);

  // sessionStorage throws where site data is blocked; then a reload forgets, and that is all
  const kept = (() => {
    let inMemory = null;
    return {
      read() {
        try {
          return JSON.parse(sessionStorage.getItem(key)) ?? inMemory;
        } catch {
          return inMemory;
        }
      },
      write(value) {
        inMemory = value;
        try { sessionStorage.setItem(key, JSON.stringify(value)); } catch { /* see above */ }
      },
    };
  })();

  function show(id) {
    find('loading').hidden = true;
    for (const section of page.querySelectorAll('section')) section.hidden = section.id !== id;
    find(id).querySelector('h2')?.focus();
    window.scrollTo(0, 0);
  }

  // Shows the questions that are asked, by the answers so far; one that appears is named to who
  // cannot see it
  function arrange() {
    const further = asked().filter(({ element }) => element.hidden);
    for (const question of questions.all) question.element.hidden = !questions.asked(question);
    const said = find('further');
    said.textContent = further.map(({ label }) => `${said.dataset.further} ${label}`).join(' ');
  }

  // The keys that move between the radio buttons of a group
  function move(question, event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const from = question.inputs.indexOf(event.target);
    const radio = from >= 0 && event.target.type === 'radio';
    if (!step || !radio || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const to = (from + step + question.inputs.length) % question.inputs.length;
    question.changed(to);
    question.inputs[to].focus();
    arrange();
  }

  function list(target, entries) {
    target.replaceChildren(...entries.flatMap(([term, detail]) => {
      const [dt, dd] = [document.createElement('dt'), document.createElement('dd')];
      dt.textContent = term;
      dd.textContent = detail;
      return [dt, dd];
    }));
  }

  // Also which questions are shown, which tells some of the answers
  function erase() {
    for (const question of questions.all) question.erase();
    arrange();
    find('chosen').replaceChildren();
  }

  function review(event) {
    event.preventDefault();
    const open = asked().filter((question) => !question.answered);
    for (const question of questions.all) question.complain(open.includes(question));
    if (open.length) {
      open[0].inputs[0].focus();
      open[0].element.scrollIntoView({ block: 'nearest' });
      return;
    }
    list(find('chosen'), asked().filter((question) => question.type !== 'note')
      .map((question) => [question.label, question.said]));
    history.pushState(null, ''); // so that Back leads to the questions, not away from the page
    show('review');
  }

  // One draw for each private question, all at once; the string is what is sent, ever
  function freeze() {
    const { fingerprint } = frozen;
    const reports = questions.reports();
    return JSON.stringify({ id: randomizer.identifier(), fingerprint, reports });
  }

  // The end; after a reload what was sent is no longer known
  function done(body) {
    find('sent').hidden = !body;
    find('again').hidden = Boolean(body);
    if (body) tell(body);
    show('done');
  }

  // What was sent, in the names of the choices
  function tell(body) {
    const { reports } = JSON.parse(body);
    list(find('left'), questions.all.filter((question) => question.type !== 'note')
      .map((question) => [question.label, question.told(reports[question.name])]));
    find('bytes').textContent = body;
  }

  function reject(status) {
    const known = ['409', '410'].includes(`${status}`) ? `${status}` : 'other';
    for (const text of page.querySelectorAll('[data-status]')) {
      text.hidden = text.dataset.status !== known;
    }
    show('rejected');
  }

  async function post(body) {
    try {
      const response = await fetch(page.dataset.endpoint, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        credentials: 'omit',
        cache: 'no-store',
        redirect: 'error',
        referrerPolicy: 'no-referrer',
        signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
      });
      return response.status;
    } catch {
      return 0; // no connection, or no answer in time
    }
  }

  // Sends the frozen bytes until the server says what became of them
  async function send(body) {
    const say = (state) => { find('progress').textContent = find('progress').dataset[state]; };
    show('sending');
    find('retry').hidden = true;
    for (const seconds of [...RETRY_SECONDS, null]) {
      say('trying');
      const status = await post(body);
      if (status === 200 || status === 201) {
        kept.write({ state: 'sent' });
        done(body);
        return;
      }
      if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
        kept.write({ state: 'rejected', status });
        reject(status);
        return;
      }
      if (seconds !== null) {
        say('waiting');
        await new Promise((wake) => { setTimeout(wake, seconds * 1000); });
      }
    }
    say('stuck');
    find('retry').hidden = false;
  }

  function mixUpAndSend() {
    find('send').disabled = true;
    const body = freeze();
    if (page.dataset.endpoint) kept.write({ body, state: 'sending' });
    erase();
    if (page.dataset.endpoint) send(body);
    else done(body);
  }

  function refuse() {
    erase();
    for (const section of page.querySelectorAll('section')) section.hidden = true;
    find('loading').hidden = true;
    find('refused').hidden = false;
  }

  // The questions that chance picked stay the same after a reload, or one could load until the
  // picked ones suit; they are sent anyway, so keeping their names tells nothing
  function pick(before) {
    if (questions.sample === null) return;
    const picked = before?.picked ?? questions.draw();
    questions.take(picked);
    if (before === null && page.dataset.endpoint) kept.write({ picked, state: 'asking' });
  }

  function start() {
    let stated = [];
    for (const question of questions.all) { // or a private answer would be taken for a plain one
      if (question.private !== (question.table !== null)) {
        throw new RangeError('Private questions have a table, and no others.');
      }
      const plain = !question.private && question.type !== 'note';
      if (plain && questions.needed(question).some((other) => other.private)) {
        throw new RangeError('Whether a plain question is asked would tell a private answer.');
      }
      if (question.table) {
        if (!question.hasItsRows) throw new RangeError('The table is not for these answers.');
        randomizer.verify(question.table, question.table.epsilon);
        stated.push(question.table.epsilon);
      }
    }
    stated = stated.sort((a, b) => b - a).slice(0, questions.sample ?? stated.length);
    if (!(stated.reduce((sum, each) => sum + each, 0) <= frozen.epsilon + 1e-9)) {
      throw new RangeError('The losses add up to more.');
    }
    randomizer.identifier(); // throws where there is no secure randomness
    const before = page.dataset.endpoint ? kept.read() : null;
    if (before === null || before.state === 'asking') pick(before);
    for (const question of questions.all) {
      question.inputs.forEach((input, index) => {
        input.addEventListener('input', () => { question.changed(index); arrange(); });
      });
      question.element.addEventListener('keydown', (event) => move(question, event));
    }
    arrange();
    form.addEventListener('submit', review);
    find('back').addEventListener('click', () => history.back());
    find('send').addEventListener('click', () => {
      try { mixUpAndSend(); } catch { refuse(); }
    });
    find('retry').addEventListener('click', () => send(kept.read().body));
    const ask = () => {
      const { state = 'asking' } = kept.read() ?? {};
      if (state === 'asking' && find('done').hidden && find('refused').hidden) {
        arrange();
        show('asking');
      }
    };
    window.addEventListener('popstate', ask);
    window.addEventListener('pagehide', erase);
    // a page that comes back from memory has been erased: it asks anew
    window.addEventListener('pageshow', (event) => { if (event.persisted) ask(); });
    if (!before || before.state === 'asking') show('asking');
    else if (before.state === 'sent') done(null);
    else if (before.state === 'rejected') reject(before.status);
    else send(before.body);
  }

  try { start(); } catch { refuse(); }
})();
