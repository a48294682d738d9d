// What is settled before the first question: that the tables keep what the page states, the
// invitation, whether this device is remembered in the waves of a survey, and which questions
// chance picks.
'use strict';

const start = (() => {
  const REFUSALS = ['unknown_invitation', 'spent_invitation'];
  const CODE = /^[0-9A-HJKMNP-TV-Z]{26}$/; // Crockford's base32
  const find = (id) => document.getElementById(id);
  const { series } = questions.definition;
  const wave = find('wave');
  const [remember, once] = wave?.querySelectorAll('input') ?? [];
  const invited = find('invited');
  const field = find('invitation');
  let unchecked = null; // the code that could not be checked when it was asked about
  const errorIn = (element) => element.querySelector('.error');

  // As it is typed or printed: spaces, hyphens and small letters do no harm, O is 0, I and L are 1
  const canonical = (text) => text.toUpperCase().replace(/[\s\u2010-\u2015\u2212-]/g, '')
    .replace(/O/g, '0').replace(/[IL]/g, '1');

  // Throws where this page would protect less than it states
  function check() {
    const stated = [];
    for (const question of questions.all) { // or a private answer would be taken for a plain one
      if (question.private !== (question.table !== null)) {
        throw new RangeError('Private questions have a table, and no others.');
      }
      const plain = !question.private && question.asks;
      if (plain && questions.needed(question).some((other) => other.private)) {
        throw new RangeError('Whether a plain question is asked would tell a private answer.');
      }
      if (question.table) {
        if (!question.hasItsRows) throw new RangeError('The table is not for these answers.');
        randomizer.verify(question.table, question.table.epsilon);
        stated.push(question.table.epsilon);
      }
    }
    const { epsilon, limits } = questions.frozen;
    losses.check(stated, questions.sample, epsilon, limits);
    randomizer.identifier(); // throws where there is no secure randomness
  }

  // The code comes in the link behind #, which browsers send to nobody. It is taken out of the bar,
  // so it is kept for a reload; but the browser's history has the link as it was opened
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

  // Says beside the field what there is against the code, or nothing any more
  function complain(refusal) {
    const wrong = refusal === 'malformed' || REFUSALS.includes(refusal);
    for (const error of field.querySelectorAll('.error')) {
      error.hidden = error.dataset.refusal !== refusal;
      if (!error.hidden) error.scrollIntoView({ block: 'nearest' });
    }
    invited.removeAttribute('aria-invalid');
    if (!wrong) return;
    invited.setAttribute('aria-invalid', 'true');
    invited.focus();
  }

  // What the server says to the code: good, a refusal, or nothing in time
  async function ask(code) {
    const checking = find('checking');
    [invited.readOnly, checking.textContent] = [true, checking.dataset.words];
    const body = JSON.stringify({ invitation: code });
    const { status, reason } = await sender.post(field.dataset.endpoint, body);
    [invited.readOnly, checking.textContent] = [false, ''];
    if (status === 200) return 'good';
    if (status === 403 && REFUSALS.includes(reason)) return reason;
    return status === 410 ? 'closed' : 'unchecked';
  }

  // Of a code that leads nowhere nothing stays, of what chance picked all does
  function forget(picked) {
    if (picked) sender.kept.write({ picked, state: 'asking' });
    else sender.kept.clear();
  }

  // Whether the code leads on. One that is known to be good is not asked about again: it may be
  // spent by then, which sending tells. Nor does a connection that fails twice keep anyone out
  async function admitted(code) {
    const before = sender.kept.read();
    if (before?.good === code) return true;
    const found = await ask(code);
    if (found === 'good') {
      sender.kept.write({ ...before, invitation: code, good: code, state: 'asking' });
      return true;
    }
    const again = unchecked === code;
    unchecked = found === 'unchecked' ? code : null;
    if (unchecked && again) return true;
    if (!unchecked) forget(before?.picked);
    complain(found);
    return false;
  }

  // Where the draws come from: fresh randomness, or in a wave those that stay the same for the same
  // context
  const fresh = (context, make) => make();
  const recalled = (context, make) => waves.drawing(series, context, make);

  function showWave() {
    if (!wave) return;
    if (kiosk.on) wave.hidden = true; // a device of many people is nobody's
    else find('known').hidden = !waves.known(series);
  }

  function choose(chosen, other) {
    [chosen.checked, other.checked] = [true, false];
    errorIn(wave).hidden = true;
    find('unkept').hidden = true;
  }

  // Whether the device is remembered; null where that is still to be said
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

  // The questions that chance picked stay the same after a reload, or one could load until the
  // picked ones suit; they are sent anyway, so keeping their names tells nothing. In a series they
  // are those of the last time
  async function pick(before, same) {
    const { draw, fields, sample } = questions;
    if (sample === null) return undefined;
    if (before?.picked && !same) return before.picked;
    const names = fields.filter((question) => question.private).map(({ name }) => name);
    return (same ? recalled : fresh)(['pick', names, sample], draw);
  }

  // What was settled, or null where something is missing, which is then said beside it
  async function settle() {
    const code = invited && sender.endpoint ? canonical(invited.value) : undefined;
    if (code !== undefined) {
      complain(CODE.test(code) ? null : 'malformed');
      if (!CODE.test(code) || !await admitted(code)) return null;
    }
    const same = settled();
    if (same === null) return null;
    const before = sender.kept.read();
    const picked = await pick(before, same);
    if (picked) questions.take(picked);
    if (picked || code) {
      sender.kept.write({ invitation: code, good: before?.good, picked, state: 'asking' });
    }
    return { invitation: code, mix: same ? recalled : fresh };
  }

  // As before anyone was here
  function clear() {
    if (invited) invited.value = '';
    invited?.removeAttribute('aria-invalid');
    unchecked = null;
    for (const input of [remember, once]) if (input) input.checked = false;
    for (const error of find('start').querySelectorAll('.error')) error.hidden = true;
    if (find('tossed')) find('tossed').textContent = '';
  }

  function open() {
    readInvitation(sender.kept.read());
    showWave();
    if (wave) {
      remember.addEventListener('input', () => choose(remember, once));
      once.addEventListener('input', () => choose(once, remember));
      wave.addEventListener('keydown', (event) => { // inputs without a name are no group
        if (!/^Arrow/.test(event.key) || !event.target.matches('[type=radio]')) return;
        event.preventDefault();
        const [to, from] = event.target === once ? [remember, once] : [once, remember];
        choose(to, from);
        to.focus();
      });
      find('forget').addEventListener('click', () => {
        waves.forget(series); // throws where it cannot
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

  return Object.freeze({ check, clear, open, settle });
})();
