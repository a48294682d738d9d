// Browsers cut off the selected option of a narrow list. If a question is cut off, this script
// shows its whole text below the list. Screen readers read the option itself, so they skip the
// copy.
'use strict';

(() => {
  const pen = document.createElement('canvas').getContext('2d');
  // Pixels for the arrow of the list
  const ARROW = 24;

  function show(menu, copy) {
    const [option] = menu.selectedOptions;
    const style = getComputedStyle(menu);
    pen.font = style.font;
    const room = menu.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    copy.hidden = !option || !room || pen.measureText(option.text).width <= room - ARROW;
    copy.textContent = copy.hidden ? '' : option.text;
  }

  for (const menu of document.querySelectorAll('main select:not([multiple], #builder *)')) {
    const copy = document.createElement('p');
    copy.className = 'hint';
    copy.ariaHidden = 'true';
    // Together they take one row of a grid
    const both = document.createElement('div');
    menu.replaceWith(both);
    both.append(menu, copy);
    menu.addEventListener('change', () => show(menu, copy));
    new ResizeObserver(() => show(menu, copy)).observe(menu);
  }
})();
