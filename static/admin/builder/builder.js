// The builder while the researcher types: shows the fields that apply, a summary of each folded
// question, and its privacy and precision. The server computes these from the mechanisms that the
// survey will use.
'use strict';

(() => {
  const builder = document.getElementById('builder');
  const { all, field, has, index } = builderQuestions;
  // Milliseconds after the last key
  const PAUSE = 250;
  // Chinese has no space between two sentences
  const GAP = document.documentElement.lang.startsWith('zh') ? '' : ' ';
  let timer = null;
  let latest = 0;
  // The name of each question before it was renamed
  const names = new Map();

  function filled(question, name) {
    const { checked, type, value } = field(question, name);
    return type === 'checkbox' ? checked : value.trim() !== '';
  }

  // How the answer comes about: "given" by the respondent, or the operation that calculates it
  function operation(question) {
    if (has(question, 'joint')) return 'joint';
    return has(question, 'derivable') ? field(question, 'derived').value : 'given';
  }

  // Whether a part of the form applies to the chosen kind, protection and source of the answer
  function applies(question, { for: part, protections, operations, onlyWith }) {
    const reworded = has(question, 'reword') && filled(question, 'choices');
    // The choices of a yes/no question are its own words for Yes and No
    if (part === 'choices' && reworded) return true;
    if (part === 'reword' && reworded) return false;
    const sometimes = () => inSection(question) || filled(question, 'choice_conditions');
    if (onlyWith && !filled(question, onlyWith)
      && !(onlyWith === 'relevant' && sometimes())) return false;
    return has(question, part)
      && (!operations || operations.split(' ').includes(operation(question)))
      && (!protections || protections.split(' ').includes(field(question, 'privacy').value));
  }

  // Whether the question is in a section that has a condition
  function inSection(question) {
    const before = all().slice(0, all().indexOf(question)).reverse();
    const section = before.find((each) => has(each, 'section'));
    return Boolean(section) && filled(section, 'relevant');
  }

  function choiceLines(question) {
    return field(question, 'choices').value.split('\n').filter((line) => line.trim());
  }

  // Hide protections, goals and operations that do not fit, except for the selected one
  function offer(question) {
    const single = has(question, 'coin_flip');
    const two = has(question, 'reword') || (single && choiceLines(question).length === 2);
    const quantiles = has(question, 'quantiles');
    const source = (has(question, 'derivable') || has(question, 'boxes'))
      && operation(question) === 'given';
    const mean = has(question, 'goal');
    const level = builder.elements.level.value !== '';
    const protections = { level, coin_flip: single, gamma: two, mean, quantiles, not_sent: source };
    const yes = has(question, 'threshold');
    const choices = yes || has(question, 'bands');
    const fitting = {
      privacy: protections,
      goal: protections,
      derived: { any: yes, all: yes, recode: choices, random: choices },
    };
    for (const [name, fits] of Object.entries(fitting)) {
      for (const option of field(question, name).options) {
        option.hidden = fits[option.value] === false && !option.selected;
        option.disabled = option.hidden;
      }
    }
  }

  function arrange(question) {
    for (const part of question.querySelectorAll('[data-for]')) {
      part.hidden = !applies(question, part.dataset);
    }
    const label = field(question, 'label');
    // The browser would search the whole page for `label.labels`.
    const labelled = question.querySelector(`label[for="${label.id}"]`);
    labelled.textContent = has(question, 'section') ? translate('Heading')
      : has(question, 'joint') ? translate('Title in the results') : translate('Question');
    const typed = label.value.trim();
    question.querySelector('[data-label]').textContent = typed
      || (has(question, 'section') ? translate('(page break)') : translate('(no text yet)'));
    const count = question.querySelector('[data-count]');
    const lines = choiceLines(question);
    const { value } = field(question, 'choices');
    field(question, 'choices').rows = Math.min(Math.max(value.split('\n').length + 1, 4), 12);
    count.hidden = !lines.length;
    count.textContent = lines.length === 1 ? translate('1 choice')
      : translate('%(n)s choices', { n: lines.length });
    offer(question);
    sources(question);
    question.querySelector('[data-together]').hidden = !builderJoint.fits(question);
    joint(question);
    gist(question);
  }

  function joint(question) {
    builderJoint.show(question, named, arrange);
  }

  function joints() {
    all().filter((each) => has(each, 'joint')).forEach(joint);
  }

  function gist(question) {
    const [kind] = field(question, 'type').selectedOptions;
    const short = question.dataset.short ? ` · ${question.dataset.short}` : '';
    question.querySelector('[data-gist]').textContent = `${kind.textContent}${short}`;
  }

  // Make the menus only when they become visible: with many questions they are long
  function conditions(question) {
    if (!question.querySelector('[data-asked]').open) return;
    const questions = all();
    const earlier = questions.slice(0, questions.indexOf(question));
    // The error message belongs to the text field, so show it instead of the menus
    if (field(question, 'relevant').ariaInvalid) question.dataset.asText = 'yes';
    builderConditions.show(question, earlier, field, named);
  }

  // The name of a question that another one depends on. If it is empty, make the server's default.
  function named(question) {
    const name = field(question, 'name');
    const taken = all().map((each) => field(each, 'name').value.trim());
    for (let number = all().indexOf(question) + 1; !name.value.trim(); number += 1) {
      if (!taken.includes(`q${number}`)) name.value = `q${number}`;
    }
    names.set(question, name.value.trim());
    return name.value.trim();
  }

  // The field with the lines of a derived answer, if these name other questions
  const FORMULAS = {
    sum: 'points', mean: 'points', count: 'conditions', any: 'conditions', all: 'conditions',
    recode: 'recode',
  };

  // A menu of the earlier questions that a derived answer can use. A choice adds a line.
  function sources(question) {
    const box = question.querySelector('[data-sources]');
    const formula = FORMULAS[operation(question)];
    // With many questions, looking at all earlier ones takes long.
    box.hidden = !formula;
    if (box.hidden) return;
    const earlier = all().slice(0, all().indexOf(question))
      .filter((each) => has(each, 'derivable') || has(each, 'boxes'));
    box.hidden = !earlier.length;
    if (box.hidden) return;
    const { element, line, titled } = builderConditions;
    const menu = box.querySelector('select');
    menu.replaceChildren(element('option', { value: '', textContent: translate('(choose)') }),
      ...earlier.map((each) => element('option', { textContent: titled(each) })));
    // Before the form's listener, which makes the menu again
    menu.oninput = () => {
      const other = earlier[menu.selectedIndex - 1];
      if (!other) return;
      const text = field(question, formula);
      const added = line(other, named(other), operation(question), field);
      const [choice] = builderConditions.choices(question, field)[0] ?? ['yes'];
      const whole = formula === 'recode' ? `${choice} if ${added}` : added;
      text.value = [text.value.trimEnd(), whole].filter(Boolean).join('\n');
      text.dispatchEvent(new Event('input', { bubbles: true }));
      text.focus();
    };
  }

  // Show these lines, and others in a fold
  function put(holder, texts, folded = []) {
    const all = JSON.stringify([texts, folded]);
    if (holder.dataset.lines === all) return; // Otherwise screen readers repeat it
    holder.dataset.lines = all;
    const { element } = builderConditions;
    const open = holder.querySelector('details')?.open ?? false;
    const lines = (each) => each.map((line) => element('p', { textContent: line }));
    const fold = element('details', { open },
      element('summary', { textContent: translate('What respondents’ devices send') }),
      ...lines(folded));
    holder.replaceChildren(...lines(texts), ...(folded.length ? [fold] : []));
    holder.hidden = !texts.length && !folded.length;
  }

  function show({ questions, epsilon, sentences, wary, letters }) {
    if (builderConditions.learn(letters)) {
      all().forEach(conditions);
      address();
    }
    all().forEach((question, place) => {
      const look = questions[place];
      if (!look) return;
      const output = question.querySelector('.preview-odds');
      output.ariaLive = question.contains(document.activeElement) ? 'polite' : 'off';
      const loss = look.epsilon ? [`ε = ${look.epsilon}`] : [];
      const folded = look.epsilon ? look.sentences : [];
      const rest = look.epsilon ? [] : look.sentences;
      const lines = [look.fault, look.source, ...rest, look.precision, ...loss, look.price];
      put(output, lines.filter(Boolean), folded);
      const cost = question.querySelector('[data-declining]');
      cost.ariaLive = output.ariaLive;
      put(cost, [look.declining].filter(Boolean));
      question.dataset.short = look.short;
      question.classList.toggle('faulty', Boolean(look.fault));
      gist(question);
    });
    const [figure, text] = document.querySelectorAll('#total span');
    figure.textContent = epsilon;
    text.textContent = sentences.join(GAP);
    document.getElementById('total').classList.toggle('wary', wary);
    document.querySelector('[data-sum]').textContent = epsilon;
    builderPreview.leftOut(questions.filter((look) => look.fault).length);
  }

  const warn = (text) => builderQuestions.say(text);

  async function update() {
    const asked = (latest += 1);
    const body = new URLSearchParams(new FormData(builder));
    try {
      const response = await fetch(builder.dataset.odds, { method: 'POST', body });
      if (asked !== latest) return; // A newer request is running
      if (response.redirected || response.status === 400) { // The session has ended
        builder.dataset.gone = 'yes';
        warn(builder.dataset.signedOut);
      } else show(await response.json());
    } catch {
      for (const question of all()) {
        if (question.contains(document.activeElement)) {
          put(question.querySelector('.preview-odds'), [
            translate('Candor cannot calculate privacy and precision now. Check your connection.'),
          ]);
        }
      }
    }
  }

  builder.addEventListener('input', (event) => {
    const question = event.target.closest?.('.question');
    if (question) {
      arrange(question);
      if (event.target === field(question, 'type')) {
        builderQuestions.usualGoal(question);
        conditions(question);
      }
      if (event.target === field(question, 'label')) index();
      // A name that is being typed is in no other field yet
      if (event.target !== field(question, 'name')) joints();
    }
    clearTimeout(timer);
    timer = setTimeout(update, PAUSE);
  });
  builder.addEventListener('change', (event) => {
    const question = event.target.closest('.question');
    if (!question || event.target !== field(question, 'name')) return;
    const texts = ['relevant', 'choice_conditions', 'points', 'conditions', 'recode', 'joint'];
    builderConditions.renamed(all().flatMap((each) => texts.map((text) => field(each, text))),
      names.get(question), event.target.value.trim());
    names.set(question, event.target.value.trim());
    joints();
  });
  builder.addEventListener('click', (event) => {
    if (!event.target.matches('[data-reword]')) return;
    const question = event.target.closest('.question');
    const choices = field(question, 'choices');
    choices.value = 'yes | Yes\nno | No';
    choices.dispatchEvent(new Event('input', { bubbles: true }));
    choices.focus();
  });
  builder.addEventListener('click', (event) => {
    if (event.target.matches('[data-other]')) {
      const question = event.target.closest('.question');
      builderQuestions.addOther(question, named(question));
    }
    if (event.target.matches('[data-together]')) {
      const question = event.target.closest('.question');
      builderQuestions.addJoint(question, named(question), builderJoint.protect);
    }
  });
  builder.addEventListener('click', (event) => {
    if (event.target.matches('[data-ways] button')) {
      const question = event.target.closest('.question');
      builderWays.add(question, named(question));
    }
  });
  builder.addEventListener('toggle', (event) => {
    if (event.target.matches('[data-asked]')) conditions(event.target.closest('.question'));
  }, true);
  builder.addEventListener('focusin', (event) => {
    if (event.target.matches('[data-asked] summary')) {
      // The earlier questions may have changed
      conditions(event.target.closest('.question'));
    }
    if (event.target.matches('[data-sources] select')) sources(event.target.closest('.question'));
  });
  function refresh() {
    all().forEach(arrange);
    all().forEach(conditions);
    index();
  }
  for (const each of ['rearranged', 'filled']) builder.addEventListener(each, refresh);

  // A second click during the first request would save twice
  builder.addEventListener('submit', (event) => {
    if (!navigator.onLine || builder.dataset.gone) {
      event.preventDefault();
      warn(navigator.onLine ? builder.dataset.signedOut : builder.dataset.offline);
      return;
    }
    if (builder.dataset.sent) event.preventDefault();
    builder.dataset.sent = 'yes';
  });
  window.addEventListener('pageshow', () => { delete builder.dataset.sent; });

  // Keep the focused element above the bar, which takes several lines on a phone. The bar can grow,
  // and an answer of the server can make a question longer.
  const bar = builder.querySelector('.saving');
  const sizes = new ResizeObserver(() => {
    document.documentElement.style.setProperty('--bar', `${bar.offsetHeight}px`);
    const at = document.activeElement;
    if (!builder.contains(at) || bar.contains(at) || at.tagName === 'IFRAME') return;
    const { top, bottom } = at.getBoundingClientRect();
    const line = bar.getBoundingClientRect().top;
    if (top < innerHeight && bottom > line) at.scrollIntoView({ block: 'nearest' });
  });
  sizes.observe(bar);
  sizes.observe(builder);

  // With a level of the whole survey, Candor decides on how many questions each respondent reports.
  // Without one, a question that had its share gets the usual protection.
  function surveyLevel() {
    const { level, sample } = builder.elements;
    sample.closest('.field').hidden = level.value !== '';
    for (const question of all()) {
      const privacy = field(question, 'privacy');
      if (!level.value && privacy.value === 'level') privacy.value = 'medium';
      arrange(question);
    }
  }

  function mainLanguage() {
    for (const box of builder.querySelectorAll('[name="languages"]')) {
      box.parentElement.hidden = box.value === builder.elements.language.value;
    }
  }

  // The address that the server makes from the title if none is typed
  function address() {
    const { slug, title } = builder.elements;
    const made = builderConditions.plainAscii(title.value, '-').slice(0, 60).replace(/-+$/, '');
    document.querySelector('[data-address]').textContent = slug.value.trim() || made || '…';
  }

  for (const name of ['slug', 'title']) builder.elements[name].addEventListener('input', address);
  builder.elements.language.addEventListener('change', mainLanguage);
  mainLanguage();
  builder.elements.level.addEventListener('change', surveyLevel);
  surveyLevel();
  for (const question of all()) names.set(question, field(question, 'name').value.trim());
  refresh();
  address();
  document.getElementById('conflict')?.focus();
  show(builderQuestions.outlook);
})();
