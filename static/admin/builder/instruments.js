// The builder's instruments: published questionnaires. The page has their texts and terms. Adding
// one is a single change, which Undo takes back.
'use strict';

(() => {
  const box = document.getElementById('instruments');
  const { all, append, field, instruments, languages } = builderQuestions;
  const { element } = builderConditions;
  const form = box.closest('form');
  const [menu, results] = ['instrument', 'instrument-result'].map((id) => (
    document.getElementById(id)));
  const warning = box.querySelector('[data-untranslated]');
  // The fields that contain names of questions
  const NAMED = ['name', 'points'];

  const chosen = () => instruments.find(({ slug }) => slug === menu.value);

  // The languages of the survey without a validated text
  function missing() {
    const { language } = chosen();
    const others = [...form.querySelectorAll('[name="languages"]:checked')].map((each) => (
      each.value));
    return [...new Set([form.elements.language.value, ...others])].filter((each) => (
      each !== language));
  }

  function warn() {
    const { language, name } = chosen();
    const names = missing().map((each) => languages[each]);
    warning.hidden = !names.length;
    const text = names.length ? translate('Candor has no validated text of %(name)s in: '
      + '%(languages)s. The texts are in %(language)s. Save, then enter the published and '
      + 'validated translation: “Languages and privacy budget” has the link. Or remove the '
      + 'language. Do not translate the questions yourself or with a machine.', {
      name, languages: names.join(', '), language: languages[language],
    }) : '';
    const [shown] = warning.children;
    // Otherwise screen readers repeat it
    if (shown.textContent !== text) shown.textContent = text;
  }

  function show() {
    for (const each of box.querySelectorAll('[data-about]')) {
      each.hidden = each.dataset.about !== menu.value;
    }
    results.replaceChildren(...chosen().results.map(({ label }, place) => (
      element('option', { value: place, textContent: label }))));
    warn();
  }

  // The first part of all names. A number makes it new if the survey has such a name.
  function freePrefix(prefix) {
    const taken = all().map((each) => field(each, 'name').value.trim());
    const free = (each) => !taken.some((name) => name.startsWith(`${each}_`));
    let number = 1;
    const made = () => (number === 1 ? prefix : `${prefix}v${number}`);
    while (!free(made())) number += 1;
    return made();
  }

  function add() {
    const { name, prefix, questions, results: outcomes } = chosen();
    const names = new RegExp(`\\b${prefix}_`, 'g');
    const free = freePrefix(prefix);
    const values = [...questions, outcomes[results.selectedIndex].question].map((question) => {
      const renamed = NAMED.filter((each) => question[each]).map((each) => (
        [each, question[each].replace(names, `${free}_`)]));
      return { ...question, ...Object.fromEntries(renamed) };
    });
    append(values, translate('%(name)s added.', { name }), translate('%(name)s added', { name }));
  }

  menu.addEventListener('input', show);
  form.addEventListener('change', ({ target }) => {
    if (['language', 'languages'].includes(target.name)) warn();
  });
  box.querySelector('[data-add]').addEventListener('click', add);
  show();
})();
