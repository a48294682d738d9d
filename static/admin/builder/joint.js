// The questions of a joint question, chosen from boxes. This script writes their column names into
// the text field, one per line. A text that the boxes cannot show stays unchanged.
'use strict';

const builderJoint = (() => {
  const { all, announce, field, has } = builderQuestions;
  const { element, titled } = builderConditions;
  const UNSENT = 'not_sent';
  // What the boxes of each joint question show
  const shown = new WeakMap();

  const nameOf = (question) => field(question, 'name').value.trim();

  // Whether a joint question can use the answer: one of a list, which the respondent gives
  function fits(question) {
    return (has(question, 'threshold') || has(question, 'bands'))
      && field(question, 'derived').value === 'given';
  }

  function chosen(joint) {
    return field(joint, 'joint').value.split('\n').map((line) => line.trim()).filter(Boolean);
  }

  // The answer of a question in a joint question is not sent on its own. Without the joint
  // question, it has its protection from before.
  function protect(question, together) {
    const privacy = field(question, 'privacy');
    const { level } = question.closest('form').elements;
    if (together && privacy.value !== UNSENT) {
      question.dataset.alone = privacy.value;
      privacy.value = UNSENT;
    } else if (!together && privacy.value === UNSENT) {
      privacy.value = question.dataset.alone ?? (level.value ? 'level' : 'medium');
    }
  }

  // Show the boxes of a joint question. `named` gives a question a name, and `changed` shows what
  // depends on its protection.
  function show(joint, named, changed) {
    const holder = joint.querySelector('[data-joint]');
    const text = field(joint, 'joint');
    if (!has(joint, 'joint')) {
      holder.hidden = true;
      return;
    }
    const earlier = all().slice(0, all().indexOf(joint)).filter(fits);
    const names = chosen(joint);
    const known = earlier.map(nameOf);
    holder.hidden = !names.every((name) => known.includes(name));
    joint.querySelector('[data-joint-text]').hidden = !holder.hidden && !text.ariaInvalid;
    if (holder.hidden) return;
    // Making the boxes again would move the focus
    const now = [...earlier, ...earlier.map(titled), ...known, ...names];
    if (shown.get(joint)?.every((each, at) => each === now[at])
      && shown.get(joint).length === now.length) return;
    shown.set(joint, now);

    const focused = [...holder.querySelectorAll('input')].indexOf(document.activeElement);
    const boxes = earlier.map((each) => {
      const box = element('input', { type: 'checkbox', checked: names.includes(nameOf(each)) });
      box.addEventListener('change', () => {
        const name = named(each);
        const others = chosen(joint).filter((one) => one !== name);
        const together = box.checked ? [...others, name] : others;
        text.value = earlier.map(nameOf).filter((one) => together.includes(one)).join('\n');
        protect(each, box.checked);
        changed(each);
        text.dispatchEvent(new Event('input', { bubbles: true }));
        // The protection of another question has changed
        const numbers = { number: all().indexOf(each) + 1, joint: all().indexOf(joint) + 1 };
        announce(box.checked
          ? translate('Question %(number)s is part of question %(joint)s now. Its answer is not '
            + 'sent on its own.', numbers)
          : translate('Question %(number)s is no longer part of question %(joint)s. It has its own '
            + 'protection again.', numbers));
      });
      return box;
    });
    const legend = element('legend', {
      textContent: translate('Questions that are randomised together'),
    });
    const hint = element('p', {
      className: 'hint',
      textContent: boxes.length
        ? translate('The answers to these questions are not sent on their own. The device sends '
          + 'only their combination, randomised once.')
        : translate('First add two to four yes/no questions, single choices or scales above '
          + 'this question.'),
    });
    holder.replaceChildren(legend, ...boxes.map((box, at) => (
      element('div', { className: 'field box' },
        element('label', {}, box, element('span', { textContent: titled(earlier[at]) }))))), hint);
    boxes[focused]?.focus();
  }

  return Object.freeze({ fits, protect, show });
})();
