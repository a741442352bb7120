/** The panel with the properties that were proved of the plan, and remarks. */
import { html } from '../dom.ts';
import type { PagePart, Scene } from '../scene.ts';
import { said } from '../words.ts';

export function proofPanel({ model, store, words }: Scene): PagePart {
  const { verdict, notes } = model.page;
  const { language } = store.state;
  const list = (texts: readonly string[]) =>
    html('ul', {}, ...texts.map((text) => html('li', {}, said(text, language))));
  const { proved } = verdict;
  return {
    element: html(
      'div',
      { class: 'scrolls' },
      proved.length > 0 && html('h3', {}, words.provedBy),
      proved.length > 0 && list(proved),
      notes.length > 0 && html('h3', {}, words.notes),
      notes.length > 0 && list(notes),
    ),
    update: () => {},
  };
}
