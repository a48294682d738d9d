// The respondent's page: from the start through the questions and the review to the end.
//
// A true answer exists only in the inputs and in the text of the review. The inputs have no name,
// so no form can send them. Neither the address nor the history depends on the answers: they do
// not hold which question is on the screen.
'use strict';

(() => {
  const find = (id) => document.getElementById(id);
  const page = find('page');
  const form = find('answers');
  const { kept } = sender;
  const single = page.dataset.layout === 'one_at_a_time';
  // The page has no start and begins with the questions.
  const direct = page.dataset.direct !== undefined;
  const asked = () => questions.all.filter(questions.asked);
  const filled = (text, parts) => text.replace(/\{(\d)\}/g, (_, place) => parts[place]);
  // The question on the screen, if questions come one at a time.
  let place = 0;
  // The result of the start: the invitation, and the source of the draws.
  let settled = null;
  // Guards against a second press.
  let [settling, returning] = [false, false];
  // What was sent, and the state of sending.
  let [last, stage] = [null, null];

  function show(id) {
    find('loading').hidden = true;
    for (const section of page.querySelectorAll('section')) section.hidden = section.id !== id;
    find(id).querySelector('h2')?.focus();
    window.scrollTo(0, 0);
  }

  const shown = (id) => !find(id).hidden;

  // Shows the questions whose conditions hold, or one of them. A question that appears further down
  // is announced to screen readers.
  function arrange() {
    const all = asked();
    const further = all.filter(({ element }) => element.dataset.out !== undefined);
    place = Math.min(place, all.length - 1);
    for (const question of questions.all) {
      const out = !all.includes(question);
      question.element.toggleAttribute('data-out', out);
      question.element.hidden = out || (single && question !== all[place]);
    }
    const said = find('further');
    said.textContent = single ? ''
      : further.map(({ label }) => `${said.dataset.further} ${label}`).join(' ');
    if (!single) return;
    const end = place === all.length - 1;
    [find('previous').hidden, find('next').hidden, find('check').hidden] = [!place, end, !end];
    const numbered = (some) => some.filter(({ asks }) => asks).length;
    const number = Math.max(numbered(all.slice(0, place + 1)), 1);
    const text = filled(find('place').dataset.words, [number, numbered(all)]);
    // Screen readers announce the text only if it changed.
    if (find('place').textContent !== text) find('place').textContent = text;
    [find('bar').max, find('bar').value] = [all.length, place];
  }

  function turn(to) {
    place = to;
    arrange();
    asked()[place].element.focus();
    window.scrollTo(0, 0);
  }

  // Fills a list of questions and details. `extra` may return an element that follows a detail.
  function list(target, entries, extra = () => null) {
    target.textContent = '';
    target.append(...entries.flatMap(([question, detail], index) => {
      const [dt, dd] = [document.createElement('dt'), document.createElement('dd')];
      const copy = (css) => question.element.querySelector(css).cloneNode(true);
      dt.append(copy('.label'), copy('.mark'));
      dd.textContent = detail;
      return [dt, dd, extra(index)].filter(Boolean);
    }));
  }

  // Erases the answers, and also which questions are shown, because that depends on them.
  function erase() {
    for (const question of questions.all) question.erase();
    place = 0;
    arrange();
    find('chosen').textContent = '';
  }

  // A second press would lead past the questions.
  function goBack() {
    if (!returning) history.back();
    returning = true;
  }

  function change(question) {
    goBack();
    place = asked().indexOf(question);
    window.addEventListener('popstate', () => {
      question.element.focus();
      question.element.scrollIntoView({ block: 'nearest' });
    }, { once: true });
  }

  function listChosen() {
    const answers = asked().filter((question) => question.asks);
    list(find('chosen'), answers.map((question) => [question, question.said]), (index) => {
      const [dd, button] = ['dd', 'button'].map((tag) => document.createElement(tag));
      dd.className = 'change';
      const textContent = find('chosen').dataset.change;
      Object.assign(button, { className: 'small', textContent, type: 'button' });
      button.setAttribute('aria-label', `${button.textContent}: ${answers[index].label}`);
      button.addEventListener('click', () => change(answers[index]));
      dd.append(button);
      return dd;
    });
  }

  // Continues to the next question or to the review. If a question is open, it leads there instead.
  function next(event) {
    event.preventDefault();
    const all = asked();
    const end = !single || place === all.length - 1;
    const open = (end ? all : [all[place]]).filter((question) => !question.answered);
    for (const question of questions.all) question.complain(open.includes(question));
    if (open.length) {
      if (single) turn(all.indexOf(open[0]));
      open[0].inputs[0].focus();
      open[0].element.scrollIntoView({ block: 'nearest' });
    } else if (!end) {
      travel.next();
      turn(place + 1);
    } else {
      travel.review();
      review();
    }
  }

  const review = () => { listChosen(); show('review'); };

  // Shows the end. After a reload, the page does not know any more what was sent.
  function done(sent) {
    last = sent;
    find('sent').hidden = !sent;
    find('again').hidden = Boolean(sent);
    if (sent) tell(sent);
    show('done');
    if (kiosk.on) kiosk.finished();
  }

  // Shows what was sent, in the labels of the choices, and its receipt.
  function tell({ body, receipt }) {
    const sent = JSON.parse(body);
    const reports = { ...sent.reports, ...sent.texts?.reports };
    list(find('left'), questions.fields.map((question) =>
      [question, question.told(reports[question.name])]));
    find('bytes').textContent = body;
    if (!find('receipt') || !sender.endpoint) return;
    find('receipt').hidden = !receipt;
    find('no-receipt').hidden = Boolean(receipt);
    find('code').textContent = (receipt ?? '').replace(/(.{4})(?=.)/g, '$1 ');
    // People may write this address down, so it has no query.
    find('later').textContent = find('later').href.split('?')[0];
  }

  function reject(reason) {
    const texts = [...page.querySelectorAll('[data-status]')];
    const known = texts.some((text) => text.dataset.status === reason) ? reason : 'other';
    for (const text of texts) text.hidden = text.dataset.status !== known;
    show('rejected');
    if (kiosk.on) kiosk.finished();
  }

  function say(state) {
    stage = state;
    find('progress').textContent = find('progress').dataset[state];
  }

  async function send(sending) {
    show('sending');
    find('retry').hidden = true;
    const outcome = await sender.send(sending.body, say);
    if (outcome === true) {
      kept.write({ state: 'sent' });
      done(sending);
    } else if (outcome === false) {
      find('retry').hidden = false;
    } else {
      kept.write({ state: 'rejected', reason: outcome });
      reject(outcome);
    }
  }

  // The answers are erased as soon as they are read, before the first draw and before sending.
  function mixUpAndSend() {
    find('send').disabled = true;
    travel.home();
    const frozen = sender.freeze(settled.mix, settled.invitation);
    erase();
    frozen.then((sending) => {
      kept.write(sending);
      if (sender.endpoint) send(sending);
      else done(sending);
    }).catch(refuse);
  }

  function refuse() {
    erase();
    for (const section of page.querySelectorAll('section')) section.hidden = true;
    [find('loading').hidden, find('refused').hidden] = [true, false];
  }

  // From the start to the questions. `further` is false if the history already leads there.
  async function begin(further) {
    if (settling) return;
    settling = true;
    settled = await start.settle().finally(() => { settling = false; });
    if (settled === null) return;
    arrange();
    if (further) travel.begin(single ? questions.all.length : 1);
    show('asking');
  }

  function goHome() {
    travel.home();
    if (direct) begin(false).catch(refuse);
    else show('start');
  }

  // Returns to the start and erases everything of the last person.
  function restart() {
    erase();
    start.clear();
    for (const element of page.querySelectorAll('#left, #bytes, #code')) element.textContent = '';
    if (find('receipt')) withdrawal.clear();
    [last, settled, find('send').disabled] = [null, null, false];
    for (const each of page.querySelectorAll('details')) each.open = false;
    kept.clear();
    goHome();
  }

  // Called after the browser's Back or Forward.
  function arrived(to) {
    returning = false;
    if (shown('start')) {
      // The choices at the start may have changed, so they are checked again.
      if (to !== 'start' && settled) begin(false).catch(refuse);
    } else if (!shown('asking') && !shown('review')) {
      // Back and Forward do not leave the end.
    } else if (to === 'review' && shown('asking') && asked().every((one) => one.answered)) {
      review();
    } else if (to === 'start' && !direct) {
      show('start');
    } else if (to === 'back' && shown('asking') && single) {
      if (place > 0) turn(place - 1);
      else travel.home();
    } else {
      arrange();
      show('asking');
    }
  }

  function listen() {
    for (const question of questions.all) {
      question.inputs.forEach((input, index) => {
        input.addEventListener('input', () => { question.changed(index); arrange(); });
      });
      question.element.addEventListener('keydown', (event) => question.move(event) && arrange());
    }
    form.addEventListener('submit', next);
    // The second click of a double press is ignored.
    form.addEventListener('click', (event) => event.detail > 1 &&
      event.target.type === 'submit' && event.preventDefault());
    find('begin').addEventListener('click', () => begin(true).catch(refuse));
    find('previous').addEventListener('click', ({ detail }) => detail > 1 || turn(place - 1));
    find('back').addEventListener('click', goBack);
    find('send').addEventListener('click', () => {
      try { mixUpAndSend(); } catch { refuse(); }
    });
    find('retry').addEventListener('click', () => send(kept.read()));
    window.addEventListener('online', () => { if (!find('retry').hidden) send(kept.read()); });
    travel.listen(arrived);
    window.addEventListener('pagehide', erase);
    // A page that the browser restores from memory has been erased, so it starts again.
    window.addEventListener('pageshow', ({ persisted }) => {
      if (persisted && (shown('asking') || shown('review'))) goHome();
    });
    document.addEventListener('translated', () => {
      arrange();
      if (shown('review')) listChosen();
      if (last) tell(last);
      if (stage) say(stage);
    });
    const begun = () => shown('start') && (settled || find('invited')?.value);
    kiosk.watch(() => shown('asking') || shown('review') || begun(), restart);
  }

  function open() {
    start.check();
    listen();
    arrange();
    // On a kiosk, what is stored may belong to someone else.
    if (kiosk.on && kept.read()?.state !== 'sending') kept.clear();
    const before = kept.read();
    start.open();
    // A reload begins at the start again.
    travel.home();
    if (!before || before.state === 'asking') goHome();
    else if (before.state === 'sent') done(null);
    else if (before.state === 'rejected') reject(before.reason);
    else send(before);
  }

  try { if (browser.able()) open(); } catch { refuse(); }
})();
