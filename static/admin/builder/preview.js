// The preview next to the builder: the respondent's page for the typed form, made by the server and
// shown in a frame. A new frame replaces the old one when it is ready, so that nothing flickers and
// the browser's history has no previews.
'use strict';

const builderPreview = (() => {
  const panel = document.getElementById('preview');
  const form = document.getElementById('builder');
  const button = form.querySelector('[data-preview]');
  const menu = panel.querySelector('[data-language]');
  const holder = panel.querySelector('.frame');
  const { element } = builderConditions;
  // Milliseconds after the last key
  const PAUSE = 700;
  const WIDTHS = { phone: 375, desktop: 1024 };
  let width = 'phone';
  let language = '';
  let timer = null;
  let made = 0;

  const shown = () => holder.querySelector('iframe:not([hidden])');

  function fit() {
    const frame = shown();
    if (!frame) return;
    const scale = Math.min(1, holder.clientWidth / WIDTHS[width]);
    frame.style.width = `${WIDTHS[width]}px`;
    frame.style.height = `${holder.clientHeight / scale}px`;
    frame.style.transform = `scale(${scale})`;
  }

  // Where the reader was: past the first screen or not, and the scroll position
  function place(frame) {
    const inner = frame?.contentDocument;
    const asking = inner?.getElementById('asking');
    return { asking: Boolean(asking && !asking.hidden), top: frame?.contentWindow?.scrollY ?? 0 };
  }

  // The page's Back and Forward stay inside the frame, because the browser's belong to the builder
  function within(page) {
    const states = [null];
    const go = (steps) => setTimeout(() => {
      states.splice(Math.max(1, states.length + steps));
      page.dispatchEvent(new PopStateEvent('popstate', { state: states.at(-1) }));
    });
    page.history.pushState = (state) => { states.push(state); };
    page.history.back = () => go(-1);
    page.history.go = go;
  }

  function ready(frame, before) {
    const inner = frame.contentDocument;
    within(frame.contentWindow);
    if (before.asking) inner.getElementById('begin')?.click();
    holder.querySelectorAll('iframe').forEach((each) => { if (each !== frame) each.remove(); });
    frame.hidden = false;
    fit();
    frame.contentWindow.scrollTo(0, before.top);
    // In the preview, only the links to other languages work
    inner.addEventListener('click', (event) => {
      const link = event.target.closest?.('a[href]');
      if (!link) return;
      event.preventDefault();
      event.stopPropagation();
      const chosen = new URL(link.href).searchParams.get('language');
      if (link.dataset.language !== undefined && chosen) choose(chosen);
    }, true);
  }

  function refresh() {
    clearTimeout(timer);
    if (panel.hidden) return;
    const name = `candor-preview-${made += 1}`;
    const frame = element('iframe', {
      name, title: translate('Preview'), hidden: Boolean(shown()),
    });
    const before = place(shown());
    holder.append(frame);
    frame.addEventListener('load', () => {
      const there = frame.contentDocument; // null if the request failed
      if (there && there.URL !== 'about:blank' && name.endsWith(`-${made}`)) ready(frame, before);
    });
    const { action, target } = form;
    form.action = button.dataset.preview;
    form.target = name;
    form.submit(); // This sends no submit event, so nothing is saved
    form.action = action;
    form.target = target;
  }

  function languages() {
    const main = form.elements.language;
    const boxes = [...form.querySelectorAll('[name="languages"]:checked')];
    const options = [main.selectedOptions[0], ...boxes.filter((box) => box.value !== main.value)];
    menu.replaceChildren(...options.map((each) => element('option', {
      value: each.value,
      textContent: (each.tagName === 'INPUT' ? each.parentElement : each).textContent.trim(),
      selected: each.value === language,
    })));
    menu.parentElement.hidden = options.length < 2;
  }

  function choose(chosen) {
    language = chosen;
    menu.value = chosen;
    form.querySelector('[name="preview_language"]').value = chosen;
    refresh();
  }

  function toggle(open) {
    panel.hidden = !open;
    document.body.classList.toggle('previewing', open);
    button.setAttribute('aria-expanded', String(open));
    if (!open) {
      holder.replaceChildren();
      button.focus();
      return;
    }
    languages();
    refresh();
    panel.querySelector('[data-width]').focus();
    panel.scrollIntoView({ block: 'nearest' });
  }

  form.append(element('input', { type: 'hidden', name: 'preview_language' }));
  button.setAttribute('aria-expanded', 'false');
  button.addEventListener('click', () => toggle(panel.hidden));
  panel.querySelector('[data-close]').addEventListener('click', () => toggle(false));
  menu.addEventListener('change', () => choose(menu.value));
  for (const each of panel.querySelectorAll('[data-width]')) {
    each.addEventListener('click', () => {
      width = each.dataset.width;
      document.body.classList.toggle('previewing-desktop', width === 'desktop');
      for (const other of panel.querySelectorAll('[data-width]')) {
        other.setAttribute('aria-pressed', String(other === each));
      }
      fit();
    });
  }
  form.addEventListener('input', () => {
    if (panel.hidden) return;
    languages();
    clearTimeout(timer);
    timer = setTimeout(refresh, PAUSE);
  });
  new ResizeObserver(fit).observe(holder);

  // Show how many incomplete questions the preview leaves out
  function leftOut(number) {
    const note = panel.querySelector('[data-left-out]');
    note.textContent = number
      ? translate('Incomplete questions that the preview leaves out: %(n)s.', { n: number }) : '';
  }
  return Object.freeze({ leftOut });
})();
