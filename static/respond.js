// The respondent's page: reads the answers, has each mixed up once, sends the result.
//
// A true answer lives only in which input is checked and in the text of the review list. The
// inputs have no name, so no form could send them. At the press of "Mix up and send" all reports
// are drawn at once and frozen as one string; from then on only that string is sent, however
// often it takes, and the answers are erased before the first byte leaves. Until the server has
// confirmed it, the frozen string is kept for this tab (sessionStorage), so that a reload sends
// the same bytes again and never draws anew: fresh draws of one answer could be averaged. After
// that only the fact that it was sent is kept. True answers to private questions are stored nowhere.
'use strict';

(() => {
  const RETRY_SECONDS = [1, 2, 4, 8];
  const TIMEOUT_SECONDS = 20;
  const find = (id) => document.getElementById(id);
  const page = find('page');
  const form = find('answers');
  const frozen = JSON.parse(find('frozen').textContent);
  const key = `candor ${frozen.fingerprint}`;
  const questions = [...form.querySelectorAll('fieldset')].map((fieldset, number) => ({
    fieldset,
    inputs: [...fieldset.querySelectorAll('input')],
    error: fieldset.querySelector('.error'),
    ...frozen.definition.questions[number],
  }));
  const table = (question) =>
    Object.hasOwn(frozen.tables, question.name) ? frozen.tables[question.name] : null;
  const answer = (question) => question.inputs.findIndex((input) => input.checked);

  // sessionStorage throws where site data is blocked; then a reload forgets, and that is all
  const kept = (() => {
    let inMemory = null;
    return {
      read() { try { return JSON.parse(sessionStorage.getItem(key)) ?? inMemory; } catch { return inMemory; } },
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

  // Radio buttons without a name know nothing of each other; these two make them a group
  function choose(question, index, focus) {
    question.inputs.forEach((input, other) => {
      input.checked = other === index;
      input.tabIndex = other === index ? 0 : -1;
    });
    question.error.hidden = true;
    question.fieldset.removeAttribute('aria-invalid');
    if (focus) question.inputs[index].focus();
  }

  function move(question, event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const from = question.inputs.indexOf(event.target);
    if (!step || from < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    choose(question, (from + step + question.inputs.length) % question.inputs.length, true);
  }

  function list(target, entries) {
    target.replaceChildren(...entries.flatMap(([term, detail]) => {
      const [dt, dd] = [document.createElement('dt'), document.createElement('dd')];
      dt.textContent = term;
      dd.textContent = detail;
      return [dt, dd];
    }));
  }

  function erase() {
    for (const question of questions) {
      question.inputs.forEach((input, index) => {
        input.checked = false;
        input.tabIndex = index === 0 ? 0 : -1;
      });
    }
    find('chosen').replaceChildren();
  }

  function review(event) {
    event.preventDefault();
    const open = questions.filter((question) => answer(question) < 0);
    for (const question of questions) {
      question.error.hidden = !open.includes(question);
      question.fieldset.setAttribute('aria-invalid', open.includes(question));
    }
    if (open.length) {
      open[0].inputs[0].focus();
      open[0].fieldset.scrollIntoView({ block: 'nearest' });
      return;
    }
    list(find('chosen'), questions.map((question) =>
      [question.label, question.choices[answer(question)].label]));
    history.pushState(null, ''); // so that Back leads to the questions, not away from the page
    show('review');
  }

  // One draw for each private question, all at once; the string is what is sent, ever
  function freeze() {
    const reports = {};
    for (const question of questions) {
      const chosen = answer(question);
      if (chosen < 0) throw new Error('A question is not answered.');
      const rows = table(question)?.rows;
      reports[question.name] = rows ? randomizer.randomize(rows, chosen) : chosen;
    }
    const { fingerprint } = frozen;
    return JSON.stringify({ id: randomizer.identifier(), fingerprint, reports });
  }

  // The end; after a reload what was sent is no longer known
  function done(body) {
    find('sent').hidden = !body;
    find('again').hidden = Boolean(body);
    if (body) tell(body);
    show('done');
  }

  function tell(body) {
    const { reports } = JSON.parse(body);
    list(find('left'), questions.map((question) => {
      const names = table(question)?.reports;
      const sent = names ? names[reports[question.name]] : null;
      const choice = names ? question.choices.find((c) => c.name === sent)
        : question.choices[reports[question.name]];
      return [question.label, choice?.label ?? sent];
    }));
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

  function start() {
    for (const question of questions) { // or a private answer would be taken for a plain one
      if ((question.privacy === 'none') !== (table(question) === null)) {
        throw new RangeError('Private questions have a table, and no others.');
      }
    }
    let stated = 0;
    for (const { rows, epsilon } of Object.values(frozen.tables)) {
      randomizer.check(rows, epsilon);
      stated += epsilon;
    }
    if (!(stated <= frozen.epsilon + 1e-9)) throw new RangeError('The losses add up to more.');
    randomizer.identifier(); // throws where there is no secure randomness
    for (const question of questions) {
      question.inputs.forEach((input, index) => {
        input.addEventListener('change', () => choose(question, index, false));
      });
      question.fieldset.addEventListener('keydown', (event) => move(question, event));
    }
    form.addEventListener('submit', review);
    find('back').addEventListener('click', () => history.back());
    find('send').addEventListener('click', () => {
      try { mixUpAndSend(); } catch { refuse(); }
    });
    find('retry').addEventListener('click', () => send(kept.read().body));
    const ask = () => {
      if (!kept.read() && find('done').hidden && find('refused').hidden) show('asking');
    };
    window.addEventListener('popstate', ask);
    window.addEventListener('pagehide', erase);
    // a page that comes back from memory has been erased: it asks anew
    window.addEventListener('pageshow', (event) => { if (event.persisted) ask(); });
    const before = page.dataset.endpoint ? kept.read() : null;
    if (!before) show('asking');
    else if (before.state === 'sent') done(null);
    else if (before.state === 'rejected') reject(before.status);
    else send(before.body);
  }

  try { start(); } catch { refuse(); }
})();
