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
  // There can be several screens, because of the layout or of sections.
  const paged = page.dataset.paged !== undefined;
  // The page has no start and begins with the questions.
  const direct = page.dataset.direct !== undefined;
  const asked = () => questions.all.filter(questions.asked);
  const filled = (text, parts) => text.replace(/\{(\d)\}/g, (_, place) => parts[place]);
  // Longer details of what was sent are folded.
  const MAX_CHARACTERS = 120;
  // The screen that is shown, as a place in `screens`.
  let place = 0;
  // While an answer of the review is changed: its question, and the questions seen so far.
  let changing = null;
  // The result of the start: the invitation, and the source of the draws.
  let settled = null;
  // Guards against a second press.
  let settling = false;
  // What was sent, and the state of sending.
  let [last, stage] = [null, null];
  // The questions that were open when the person wanted to continue.
  let listed = [];
  // More of them would fill the screen of a phone.
  const MAX_LISTED = 3;
  const lastOf = (list) => list[list.length - 1];

  function show(id) {
    // When the page has just loaded, Tab and a screen reader begin at its top.
    const first = !find('loading').hidden;
    find('loading').hidden = true;
    for (const section of page.querySelectorAll('section')) section.hidden = section.id !== id;
    if (!first) find(id).querySelector('h2')?.focus();
    window.scrollTo(0, 0);
  }

  const shown = (id) => find(id)?.hidden === false;

  const isAlone = () => single || changing !== null;

  // The questions of each screen: one question, or those of a section. The heading of a section
  // stands above the first of its questions, and it is left out if there are none. If questions
  // come alone, the heading of a battery stands above each one, because it is a part of them. So
  // does any heading while one answer is changed.
  function screens(all = asked()) {
    const found = [];
    let [heading, begins] = [null, false];
    for (const question of all.filter(({ derived }) => !derived)) {
      if (question.begins) {
        [heading, begins] = [question, true];
      } else if (begins || isAlone() || !found.length) {
        const headed = heading && (begins || changing || heading.battery);
        found.push(headed ? [heading, question] : [question]);
        begins = false;
      } else {
        lastOf(found).push(question);
      }
    }
    return found;
  }

  const screenOf = (question, all) => screens(all).findIndex((each) => each.includes(question));

  // A row of a battery repeats neither the protection of the row above it, nor what is sent. Alone,
  // it is described by the heading, too.
  function joinRows(now) {
    const rows = now.map(({ element }) => element).filter((element) => element.matches('.row'));
    const stem = isAlone() && now[0]?.begins ? `${now[0].element.id} ` : '';
    rows.forEach((row, number) => {
      const text = (each, css) => each?.querySelector(css)?.textContent;
      const repeats = (css) => text(row, css) === text(rows[number - 1], css);
      row.querySelector('.chip').classList.toggle('unseen', repeats('.chip'));
      const odds = row.querySelector('.odds');
      if (odds) odds.hidden = repeats('.odds');
      row.setAttribute('aria-describedby', `${stem}${row.querySelector('[id^=about]').id}`);
    });
  }

  // Shows help below the last item of an instrument, whatever the answers are.
  function showHelp(all, now) {
    for (const help of form.querySelectorAll('[data-help]')) {
      const names = help.dataset.help.split(' ');
      const items = all.filter(({ name }) => names.includes(name));
      help.hidden = !items.length || !now.includes(lastOf(items));
    }
  }

  // Shows the questions of the screen whose conditions hold, with the choices that are offered. A
  // question that appears further down is announced to screen readers.
  function arrange() {
    // A question with other choices than before is shown again before the review.
    for (const question of questions.offer()) changing?.seen.delete(question);
    const all = asked();
    const every = screens(all);
    // Before an experimental arm is drawn, there may be no question.
    place = Math.max(0, Math.min(place, every.length - 1));
    const now = every[place] ?? [];
    const further = now.filter(({ element }) => element.dataset.out !== undefined);
    for (const question of questions.all) {
      question.element.toggleAttribute('data-out', !all.includes(question));
      question.element.hidden = !now.includes(question);
    }
    page.toggleAttribute('data-alone', isAlone());
    joinRows(now);
    showHelp(all, now);
    const said = find('further');
    said.textContent = isAlone() ? ''
      : further.map(({ label }) => `${said.dataset.further} ${label}`).join(' ');
    if (!paged) return;
    const end = changing !== null || place >= every.length - 1;
    [find('previous').hidden, find('next').hidden, find('check').hidden] =
      [!place || (changing !== null && !single), end, !end];
    // The bar depends on the questions on the screen only, and not on the way that led to them.
    const possible = questions.possible();
    [find('bar').max, find('bar').value] =
      [screens(possible).length + 1, screenOf(lastOf(now), possible) + 1];
  }

  function turn(to) {
    place = to;
    arrange();
    const [screen, before] = [screens()[to], screens()[to - 1]];
    // A heading that stood on the screen before is not read again.
    (before?.includes(screen[0]) ? lastOf(screen) : screen[0]).element.focus();
    window.scrollTo(0, 0);
  }

  // Leaves the change of one answer, and stays at its question.
  function stopChanging() {
    if (!changing) return;
    const question = lastOf(screens()[place]);
    changing = null;
    place = screenOf(question);
  }

  function made(tag, textContent = '', more = {}) {
    return Object.assign(document.createElement(tag), { textContent, ...more });
  }

  // How an answer is sent: "mixed" up, or as it is ("plain"). It is not sent if the device did not
  // pick the question ("unsent"), or if only derived answers use it ("kept"). An answer behind a
  // joint question is mixed up as a part of its answer. An experimental arm is "drawn".
  function way(question, sent) {
    if (question.arm !== undefined) return 'drawn';
    if (questions.together(question)) return sent ? 'mixed' : 'unsent';
    if (!question.sends) return 'kept';
    return question.private ? (sent ? 'mixed' : 'unsent') : 'plain';
  }

  // The heading of a question's battery; empty without one.
  const stemOf = ({ asks, section }) => (asks && section?.battery ? section.label : '');

  // Fills an element with a list for each way of sending. An entry has a question, its way and
  // the elements for its answer. The items of a battery are a list of their own, below its heading.
  function list(target, entries) {
    target.textContent = '';
    for (const each of ['mixed', 'plain', 'drawn', 'unsent', 'kept']) {
      const lists = [];
      let stem = '';
      for (const [question, , ...details] of entries.filter((entry) => entry[1] === each)) {
        if (!lists.length || stem !== stemOf(question)) {
          stem = stemOf(question);
          if (stem) lists.push(made('p', stem, { className: 'stem' }));
          lists.push(made('dl'));
        }
        const copy = (css) => question.element.querySelector(css).cloneNode(true);
        const dt = made('dt');
        dt.append(copy('.label'), Object.assign(copy('.mark'),
          { textContent: question.element.querySelector('.mark strong').textContent }));
        lastOf(lists).append(dt, ...details);
      }
      if (lists.length) target.append(made('h3', target.dataset[each]), ...lists);
    }
  }

  // Erases the answers, and also which questions are shown, because that depends on them.
  function erase() {
    for (const question of questions.all) question.erase();
    [place, changing] = [0, null];
    arrange();
    listOpen([]);
    find('chosen').textContent = '';
  }

  // Erases everything that the page knows of a person, also what was sent.
  function eraseAll() {
    erase();
    for (const element of page.querySelectorAll('#left, #bytes')) element.textContent = '';
    if (find('receipt')) receipts.clear();
    last = null;
  }

  // From the review to the questions.
  function goBack() {
    arrange();
    show('asking');
  }

  // Leads to one question of the review, and from there back to the review.
  function change(question) {
    changing = { question, seen: new Set(asked()) };
    place = screenOf(question);
    goBack();
    question.element.focus();
    question.element.scrollIntoView({ block: 'nearest' });
  }

  function listChosen() {
    const word = find('chosen').dataset.change;
    const shownThere = asked().filter(({ asks, parts, sends }) => !parts && (asks || sends));
    list(find('chosen'), shownThere.map((question) => {
      const sent = questions.picked(question);
      const entry = [question, way(question, sent), made('dd', question.said)];
      const note = question.element.querySelector('.result-note');
      if (note) {
        entry.push(made('dd', '', { className: 'result-note' }));
        entry[3].append(...note.cloneNode(true).children);
      }
      if (!question.asks) return entry;
      const button = made('button', word, { className: 'small', type: 'button' });
      button.setAttribute('aria-label', `${word}: ${question.label}`);
      button.dataset.change = question.name;
      button.addEventListener('click', () => change(question));
      const dd = made('dd', '', { className: 'change' });
      dd.append(button);
      return [...entry, dd];
    }));
  }

  // Leads to a question that is open.
  function lead(question) {
    const to = screenOf(question);
    if (to !== place) turn(to);
    question.inputs[0].focus();
    question.element.scrollIntoView({ block: 'nearest' });
  }

  // Lists the first open questions, if there are several on the page. They are buttons and no
  // links, so that no address names an answer that is missing.
  function listOpen(open) {
    listed = open;
    const box = find('open');
    box.hidden = isAlone() || open.length < 2;
    box.textContent = '';
    if (box.hidden) return;
    const items = open.slice(0, MAX_LISTED).map((question) => {
      const button = made('button', question.label, { className: 'link', type: 'button' });
      button.addEventListener('click', () => lead(question));
      const item = made('li');
      item.append(button);
      return item;
    });
    const ul = made('ul');
    ul.append(...items);
    const more = open.length - MAX_LISTED;
    if (more > 0) ul.append(made('li', filled(box.dataset.more, [more])));
    box.append(made('p', filled(box.dataset.words, [open.length])), ul);
  }

  // Removes an answered question from the list of open ones. The question stays where it is on the
  // screen, although the list above it gets shorter.
  function shortenOpen({ element }) {
    if (find('open').hidden) return;
    const before = element.getBoundingClientRect().top;
    listOpen(listed.filter((question) => !question.answered && questions.asked(question)));
    window.scrollBy(0, element.getBoundingClientRect().top - before);
  }

  // Continues to the next question or to the review. If a question is open, it leads there instead.
  function next(event) {
    event.preventDefault();
    const all = screens();
    // A page without a start adds its entry here, because browsers ask for a press.
    travel.begin();
    let to = place < all.length - 1 ? place + 1 : -1;
    // After a change, only questions that are new come before the review.
    if (changing) to = all.findIndex((screen) => !changing.seen.has(lastOf(screen)));
    const open = (to < 0 ? [].concat(...all) : all[place]).filter((question) => !question.answered);
    for (const question of questions.all) question.complain(open.includes(question));
    listOpen(open);
    if (!find('open').hidden) {
      find('open').focus();
      window.scrollTo(0, 0);
    } else if (open.length) {
      lead(open[0]);
    } else if (to >= 0) {
      changing?.seen.add(lastOf(all[to]));
      turn(to);
    } else {
      review();
    }
  }

  // After a change, the focus returns to the button that led to it.
  function review() {
    const name = changing?.question.name;
    changing = null;
    place = screens().length - 1;
    listChosen();
    show('review');
    if (name) find('chosen').querySelector(`[data-change="${name}"]`).focus();
  }

  // Shows the end. After a reload, the page does not know any more what was sent.
  function done(sent) {
    last = sent;
    find('sent').hidden = !sent;
    find('again').hidden = Boolean(sent);
    if (sent) tell(sent);
    show('done');
    if (kiosk.on) kiosk.finished();
  }

  // A detail of a list, folded if it is long.
  function folded(text) {
    if (text.length <= MAX_CHARACTERS) return made('dd', text);
    const [dd, details] = [made('dd'), made('details')];
    details.append(made('summary', find('left').dataset.show), made('p', text));
    dd.append(details);
    return dd;
  }

  // Shows what was sent, in the labels of the choices, and its receipt.
  function tell({ body, receipt }) {
    const sent = JSON.parse(body);
    const reports = { ...sent.reports, ...sent.texts?.reports };
    list(find('left'), questions.fields.flatMap((question) => {
      const report = reports[question.name];
      const told = question.parts ? question.toldParts(report)
        : [[question, question.told(report)]];
      return told.map(([each, text]) =>
        [each, way(each, !question.unsent(report)), folded(text)]);
    }));
    find('bytes').textContent = body;
    if (find('receipt') && sender.endpoint) receipts.show(receipt);
  }

  function reject(reason) {
    const texts = [...page.querySelectorAll('[data-status]')];
    const known = texts.some((text) => text.dataset.status === reason) ? reason : 'other';
    for (const text of texts) text.hidden = text.dataset.status !== known;
    show('rejected');
    if (kiosk.on) kiosk.finished();
  }

  function say(state, late = false) {
    stage = state;
    const text = find('progress').dataset[state];
    // A screen reader reads a text again that is only replaced by itself.
    if (find('progress').textContent !== text) find('progress').textContent = text;
    // The button stays during the next attempts, so that the focus stays, too.
    if (late) find('retry').hidden = false;
  }

  async function send(sending) {
    show('sending');
    find('retry').hidden = true;
    const outcome = await sender.send(sending.body, say);
    // Someone pressed "Leave now" on a kiosk, and the page has returned to its start.
    if (outcome === null) return;
    if (outcome === true) {
      kept.write({ state: 'sent' });
      done(sending);
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

  // What the start decides; null if something is missing, or if a step follows that asks for it.
  async function settle(pressed) {
    if (shown('remember')) return start.settle();
    if (!direct && !await start.admit()) return null;
    if (!start.asks() || (!pressed && start.chosen())) return start.settle();
    show('remember');
    return null;
  }

  // From the start to the questions. `pressed` is false if the browser's Forward led there.
  async function begin(pressed) {
    if (settling) return;
    settling = true;
    const result = await settle(pressed).finally(() => { settling = false; });
    if (result === null) return;
    settled = result;
    arrange();
    if (!direct) travel.begin();
    show('asking');
  }

  function goHome() {
    travel.home();
    if (direct) begin(false).catch(refuse);
    else show(find('consent') ? 'consent' : 'start');
  }

  // Returns to the start and erases everything of the last person.
  function restart() {
    eraseAll();
    start.clear();
    [settled, find('send').disabled] = [null, false];
    for (const each of page.querySelectorAll('details')) each.open = false;
    kept.clear();
    goHome();
  }

  // Called after the browser's Back or Forward. `inside` says whether it led to the questions.
  function arrived(inside) {
    // Only "Change" leads to one question.
    stopChanging();
    if (shown('start')) {
      // The choices at the start may have changed, so they are checked again.
      if (inside && settled) begin(false).catch(refuse);
    } else if (inside || (!shown('asking') && !shown('review'))) {
      // Back and Forward do not leave the end.
    } else if (shown('review')) {
      travel.stay();
      goBack();
    } else if (place > 0) {
      travel.stay();
      turn(place - 1);
    } else if (!direct) {
      show('start');
    }
  }

  function listen() {
    for (const question of questions.all) {
      question.inputs.forEach((input, index) => {
        input.addEventListener('input', () => {
          question.changed(index);
          arrange();
          shortenOpen(question);
        });
        input.addEventListener('change', () => question.left());
      });
      question.search?.addEventListener('input', () => question.find());
      // Enter would turn the page.
      question.search?.addEventListener('keydown', (event) =>
        event.key === 'Enter' && event.preventDefault());
      question.element.addEventListener('keydown', (event) => question.move(event) && arrange());
    }
    form.addEventListener('submit', next);
    // The second click of a double press is ignored.
    form.addEventListener('click', (event) => event.detail > 1 &&
      event.target.type === 'submit' && event.preventDefault());
    for (const id of ['begin', 'chosen-wave']) {
      find(id)?.addEventListener('click', () => begin(true).catch(refuse));
    }
    for (const id of ['read', 'unstart']) find(id)?.addEventListener('click', () => show('start'));
    find('previous').addEventListener('click', ({ detail }) => {
      if (detail > 1) return;
      stopChanging();
      turn(place - 1);
    });
    find('back').addEventListener('click', goBack);
    // A double press of the button before must not send.
    find('send').addEventListener('click', ({ detail }) => {
      if (detail > 1) return;
      try { mixUpAndSend(); } catch { refuse(); }
    });
    find('retry').addEventListener('click', sender.tryNow);
    travel.listen(arrived);
    window.addEventListener('pagehide', erase);
    document.addEventListener('leave', () => {
      eraseAll();
      kept.clear();
    });
    // A page that the browser restores from memory has been erased, so it starts again.
    window.addEventListener('pageshow', ({ persisted }) => {
      if (persisted && (shown('asking') || shown('review'))) goHome();
    });
    document.addEventListener('translated', () => {
      for (const question of questions.all) question.translate();
      arrange();
      if (!find('open').hidden) listOpen(listed);
      if (shown('review')) listChosen();
      if (last) tell(last);
      if (stage) say(stage);
    });
    const begun = () => shown('start') &&
      (settled || find('consent') || find('invited')?.value);
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
