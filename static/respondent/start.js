// The steps before the first question. They check that the tables keep what the page states, that
// the survey is open, and the invitation. In a survey with waves, people choose whether to remember
// this device. In a sampled survey, the questions are picked.
'use strict';

const start = (() => {
  const REFUSALS = ['unknown_invitation', 'spent_invitation'];
  // Crockford's base32.
  const CODE = /^[0-9A-HJKMNP-TV-Z]{26}$/;
  const find = (id) => document.getElementById(id);
  const { series } = questions.definition;
  const wave = find('wave');
  const [remember, once] = wave?.querySelectorAll('input') ?? [];
  const invited = find('invited');
  const field = find('invitation');
  // The code that the server could not check.
  let unchecked = null;
  // The check of a code that came with the link.
  let early = null;
  const errorIn = (element) => element.querySelector('.error');

  // The code without spaces, hyphens and small letters. O means 0, and I and L mean 1.
  const canonical = (text) => text.toUpperCase().replace(/[\s\u2010-\u2015\u2212-]/g, '')
    .replace(/O/g, '0').replace(/[IL]/g, '1');

  // Throws if this page would protect less than it states.
  function check() {
    const [mixed, given] = [[], []];
    for (const question of questions.all) {
      // Otherwise a private answer could be sent as a non-private one.
      if (question.private !== (question.table !== null)) {
        throw new RangeError('Private questions have a table, and no others.');
      }
      const nonPrivate = !question.private && question.sends;
      if (nonPrivate && questions.needed(question).some((other) => other.private || !other.sends)) {
        throw new RangeError('Asking a non-private question would tell a private answer.');
      }
      if (question.table) {
        if (!question.hasItsRows) throw new RangeError('The table is not for these answers.');
        randomizer.verify(question.table, question.table.epsilon);
        mixed.push([question.name, question.table.epsilon]);
      }
      if (question.known_share) {
        given.push([question.name, losses.ofSecondStatement(question.known_share)]);
      }
    }
    const { epsilon, limits } = questions.frozen;
    losses.check(questions.all, mixed, given, questions.sample, epsilon, limits);
    // This throws if there is no secure randomness.
    randomizer.identifier();
  }

  // Browsers do not send the part of a link behind #, which holds the code. The code is removed
  // from the address bar and stored for a reload. The browser's history keeps the link as it was
  // opened.
  function readInvitation(before) {
    if (!invited) return;
    const code = canonical(window.location.hash.slice(1));
    if (CODE.test(code)) {
      history.replaceState(null, '', window.location.pathname + window.location.search);
      if (!before || before.state === 'asking') {
        sender.kept.write({ ...before, invitation: code, state: 'asking' });
      }
    }
    invited.value = CODE.test(code) ? code : before?.invitation ?? '';
  }

  function show(error, shown) {
    error.hidden = !shown;
    if (shown) error.scrollIntoView({ block: 'nearest' });
  }

  // Shows why a person cannot start, or removes it.
  function complain(refusal, focused = true) {
    show(find('closed'), refusal === 'closed');
    if (!invited) return;
    const wrong = refusal === 'malformed' || REFUSALS.includes(refusal);
    if (wrong || refusal === 'unchecked') field.hidden = false;
    for (const error of field.querySelectorAll('.error')) {
      show(error, error.dataset.refusal === refusal);
    }
    invited.removeAttribute('aria-invalid');
    if (!wrong) return;
    invited.setAttribute('aria-invalid', 'true');
    if (focused) invited.focus();
  }

  async function waiting(promise) {
    const checking = find('checking');
    checking.textContent = checking.dataset.words;
    return promise.finally(() => { checking.textContent = ''; });
  }

  // Whether the survey is still open. All visitors send the same request here. Without an answer
  // they can start, because a response waits for a connection too.
  async function isOpen() {
    const { status } = await waiting(sender.post(window.location.pathname));
    complain(status === 410 ? 'closed' : null);
    return status !== 410;
  }

  // Asks the server about the code. The result is good, a refusal, or unchecked.
  async function ask(code) {
    invited.readOnly = true;
    const body = JSON.stringify({ invitation: code });
    const { status, reason } = await waiting(sender.post(field.dataset.endpoint, body));
    invited.readOnly = false;
    if (status === 200) return 'good';
    if (status === 403 && REFUSALS.includes(reason)) return reason;
    return status === 410 ? 'closed' : 'unchecked';
  }

  // Deletes the stored code, but keeps the picked questions.
  function forget(picked) {
    if (picked) sender.kept.write({ picked, state: 'asking' });
    else sender.kept.clear();
  }

  // Whether the person can continue with the code. A code known to be good is not checked again:
  // it may be spent by now, and the server checks it when the response arrives. After two failed
  // connections the person can continue too. A code in the link is checked `early`, before anybody
  // presses a button.
  async function admitted(code, pressed = true) {
    const before = sender.kept.read();
    if (before?.good === code) return true;
    const found = await ask(code);
    if (found === 'good') {
      sender.kept.write({ ...before, invitation: code, good: code, state: 'asking' });
      return true;
    }
    if (found === 'unchecked' && !pressed) return false;
    const again = unchecked === code;
    unchecked = found === 'unchecked' ? code : null;
    if (unchecked && again) return true;
    if (!unchecked) forget(before?.picked);
    complain(found, pressed);
    return false;
  }

  // Whether the person can start: the survey is open, and the code is good.
  async function admit() {
    if (!sender.endpoint) return true;
    if (!invited) return isOpen();
    await early;
    const code = canonical(invited.value);
    complain(CODE.test(code) ? null : 'malformed');
    return CODE.test(code) && admitted(code);
  }

  // The source of the draws: new randomness, or, in a survey with waves, draws that stay the same
  // for the same context.
  const fresh = (context, make) => make();
  const recalled = (context, make) => waves.drawing(series, context, make);

  // Whether there is a step that asks to remember this device. A kiosk belongs to many people, so
  // it is not remembered.
  const asks = () => Boolean(wave) && !kiosk.on;
  const chosen = () => remember.checked || once.checked;

  function showWave() {
    if (wave) find('known').hidden = !waves.known(series);
  }

  function choose(wanted, other) {
    [wanted.checked, other.checked] = [true, false];
    errorIn(wave).hidden = true;
    find('unkept').hidden = true;
  }

  // Whether the device is remembered; null if the person has not chosen yet.
  function settled() {
    if (!wave || kiosk.on || !sender.endpoint || once.checked) return false;
    if (remember.checked) {
      try {
        waves.remember(series);
        return true;
      } catch {
        find('unkept').hidden = false;
        remember.checked = false;
      }
    } else {
      errorIn(wave).hidden = false;
    }
    remember.focus();
    return null;
  }

  // The picked questions stay the same after a reload. Otherwise people could reload until the
  // questions suit them. Their names are sent anyway, so storing them reveals nothing. In a series
  // they stay the same as last time.
  async function pick(before, same) {
    const { draw, fields, sample } = questions;
    if (sample === null) return undefined;
    if (before?.picked && !same) return before.picked;
    const names = fields.filter((question) => question.private).map(({ name }) => name);
    return (same ? recalled : fresh)(['pick', names, sample], draw);
  }

  // The result of the start; null if something is missing, with an error next to it.
  async function settle() {
    const code = invited && sender.endpoint ? canonical(invited.value) : undefined;
    const same = settled();
    if (same === null) return null;
    const before = sender.kept.read();
    const picked = await pick(before, same);
    if (picked) questions.take(picked);
    questions.shuffle(before?.arms);
    if (same) await questions.recallArms(recalled);
    const arms = questions.arms();
    if (picked || code || arms) {
      sender.kept.write({ arms, invitation: code, good: before?.good, picked, state: 'asking' });
    }
    return { invitation: code, mix: same ? recalled : fresh };
  }

  function unfold(open) {
    find('introduced').classList.toggle('folded', !open && Boolean(window.ResizeObserver));
    find('more').setAttribute('aria-expanded', String(open));
  }

  // Back to the state for the next person.
  function clear() {
    questions.shuffleAgain();
    if (invited) [invited.value, field.hidden] = ['', false];
    invited?.removeAttribute('aria-invalid');
    unchecked = null;
    for (const input of [remember, once]) if (input) input.checked = false;
    for (const error of document.querySelectorAll('#start .error, #wave .error')) {
      error.hidden = true;
    }
    if (find('tossed')) find('tossed').textContent = '';
    if (find('more')) unfold(false);
  }

  // Shows the button "Read more" if the introduction has more than one line.
  function fold() {
    const [text, more] = [find('introduced'), find('more')];
    const fits = () => {
      if (text.classList.contains('folded')) more.hidden = text.scrollHeight <= text.clientHeight;
    };
    more.addEventListener('click', () => unfold(text.classList.contains('folded')));
    if (!window.ResizeObserver) {
      text.classList.remove('folded');
      return;
    }
    // It also reports that the text is shown for the first time.
    new ResizeObserver(fits).observe(text);
    document.addEventListener('translated', fits);
  }

  function open() {
    readInvitation(sender.kept.read());
    const code = invited && sender.endpoint ? canonical(invited.value) : '';
    if (CODE.test(code)) {
      field.hidden = true;
      early = admitted(code, false);
    }
    if (find('more')) fold();
    showWave();
    if (wave) {
      remember.addEventListener('input', () => choose(remember, once));
      once.addEventListener('input', () => choose(once, remember));
      // Inputs without a name do not form a group, so the arrow keys need this.
      wave.addEventListener('keydown', (event) => {
        if (!/^Arrow/.test(event.key) || !event.target.matches('[type=radio]')) return;
        event.preventDefault();
        const [to, from] = event.target === once ? [remember, once] : [once, remember];
        choose(to, from);
        to.focus();
      });
      find('forget').addEventListener('click', () => {
        // This throws if storage is blocked.
        waves.forget(series);
        find('forgotten').textContent = find('forgotten').dataset.words;
        showWave();
        remember.focus();
      });
      document.addEventListener('translated', () => {
        if (find('forgotten').textContent) {
          find('forgotten').textContent = find('forgotten').dataset.words;
        }
      });
    }
    invited?.addEventListener('input', () => complain(null));
  }

  return Object.freeze({ admit, asks, check, chosen, clear, open, settle });
})();
