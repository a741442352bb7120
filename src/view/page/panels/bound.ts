/** Why no plan can be faster: the certificates, each of which can be drawn on the machine. */
import { html } from '../dom.ts';
import type { Words } from '../english.ts';
import { type PagePart, planTimeText, type Scene } from '../scene.ts';
import { stopped } from '../words.ts';

export function boundPanel(scene: Scene): PagePart {
  const { model, store, words } = scene;
  const { bound, duration } = model.page;
  if (bound === undefined) return { element: html('p', { class: 'empty' }, words.boundNone), update: () => {} };
  const cards = bound.certificates.map(({ kind, seconds, reason }, index) => {
    const button = html('button', {
      type: 'button',
      'data-certificate': index,
      onclick: () => store.set({ certificate: store.state.certificate === index ? -1 : index }),
    });
    const explained = explanation(words, kind);
    const share = duration > 0 ? Math.min(1, seconds / duration) : 1;
    const bar = html('i', { class: 'share' });
    bar.style.setProperty('width', `${(100 * share).toFixed(1)}%`);
    const card = html(
      'li',
      { class: 'certificate' },
      html(
        'p',
        { class: 'measure shared' },
        bar,
        `${planTimeText(scene, seconds)} · ${(100 * share).toFixed(1)} % · ${kind}`,
      ),
      html('p', {}, stopped(reason, store.state.language)),
      explained !== undefined && html('p', { class: 'hint' }, explained),
      button,
    );
    return { card, button };
  });
  return {
    element: html(
      'div',
      { class: 'scrolls' },
      html('p', { class: 'hint' }, words.boundHint),
      html('ol', { class: 'certificates' }, ...cards.map(({ card }) => card)),
    ),
    update: ({ certificate }) => {
      cards.forEach(({ card, button }, index) => {
        card.classList.toggle('chosen', index === certificate);
        button.setAttribute('aria-pressed', String(index === certificate));
        button.textContent = index === certificate ? words.hide : words.show;
      });
    },
  };
}

/** The general statement of a kind of certificate; undefined for unknown kinds. */
function explanation(words: Words, kind: string): string | undefined {
  const named: Readonly<Record<string, string>> = words;
  return named[`certificate.${kind}`];
}
