// What is settled before the first question: that the tables keep what the page states, the
// invitation, whether this device is remembered in the waves of a survey, and which questions
// chance picks.
'use strict';

const start = (() => {
  const CODE = /^[0-9A-HJKMNP-TV-Z]{26}$/; // Crockford's base32
  const find = (id) => document.getElementById(id);
  const { series } = questions.definition;
  const wave = find('wave');
  const [remember, once] = wave?.querySelectorAll('input') ?? [];
  const invited = find('invited');
  const errorIn = (element) => element.querySelector('.error');

  // As it is typed or printed: spaces, hyphens and small letters do no harm, O is 0, I and L are 1
  const canonical = (text) => text.toUpperCase().replace(/[\s\u2010-\u2015\u2212-]/g, '')
    .replace(/O/g, '0').replace(/[IL]/g, '1');

  // Throws where this page would protect less than it states
  function check() {
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
    if (!(stated.reduce((sum, each) => sum + each, 0) <= questions.frozen.epsilon + 1e-9)) {
      throw new RangeError('The losses add up to more.');
    }
    randomizer.identifier(); // throws where there is no secure randomness
  }

  // The code comes in the link behind #, which browsers do not send; it does not stay there, so it
  // is kept for a reload
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
    if (code !== undefined && !CODE.test(code)) {
      errorIn(find('invitation')).hidden = false;
      invited.setAttribute('aria-invalid', 'true');
      invited.focus();
      return null;
    }
    const same = settled();
    if (same === null) return null;
    const before = sender.kept.read();
    const picked = await pick(before, same);
    if (picked) questions.take(picked);
    if (picked || code) sender.kept.write({ invitation: code, picked, state: 'asking' });
    return { invitation: code, mix: same ? recalled : fresh };
  }

  // As before anyone was here
  function clear() {
    if (invited) invited.value = '';
    invited?.removeAttribute('aria-invalid');
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
    invited?.addEventListener('input', () => {
      errorIn(find('invitation')).hidden = true;
      invited.removeAttribute('aria-invalid');
    });
  }

  return Object.freeze({ check, clear, open, settle });
})();
