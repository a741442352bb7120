/** The panel that walks through the counterexample of a wrong plan, operation by operation. */
import type { PageFinding } from '../../page-document.ts';
import { html } from '../dom.ts';
import type { PagePart, Scene } from '../scene.ts';
import { fill } from '../words.ts';

export function counterexamplePanel(scene: Scene): PagePart {
  const { model, words } = scene;
  const { verdict } = model.page;
  const isWrong = verdict.verdict !== 'correct';
  return {
    element: html(
      'div',
      { class: 'scrolls' },
      isWrong && html('p', { class: 'hint' }, words.counterexample),
      ...verdict.findings.map((finding) => findingElement(scene, finding)),
    ),
    update: () => {},
  };
}

function findingElement(scene: Scene, { severity, code, message, story }: PageFinding): HTMLElement {
  const { words } = scene;
  const named: Readonly<Record<string, string>> = words;
  const name = severity === 'warning' ? words.warning : (named[`verdict.${code}`] ?? code);
  return html(
    'article',
    { class: severity === 'warning' ? 'finding is-warning' : 'finding' },
    html('h3', {}, `${severity === 'warning' ? '!' : '✗'} ${name}`),
    html('p', {}, message),
    ...(story.length === 0 ? [html('p', { class: 'hint' }, words.storyNone)] : storyElements(scene, story)),
  );
}

function storyElements(scene: Scene, story: PageFinding['story']): readonly HTMLElement[] {
  const { model, store, words } = scene;
  let at = -1;
  const items = story.map(({ text }, index) =>
    html('li', {}, html('button', { type: 'button', class: 'story', onclick: () => go(index) }, text)),
  );
  const position = html('span', { class: 'position', role: 'status' });
  const button = (name: string, text: string, by: number) =>
    html(
      'button',
      { type: 'button', class: name, onclick: () => go(Math.max(0, Math.min(story.length - 1, at + by))) },
      text,
    );
  const go = (index: number): void => {
    at = index;
    items.forEach((item, other) => {
      item.classList.toggle('chosen', other === index);
    });
    position.textContent = fill(words.storyAt, { at: index + 1, count: story.length });
    const { operation, bulk } = story[index];
    if (operation < 0) return;
    const time = model.start[bulk * model.count + operation];
    store.set({
      selection: { kind: 'operation', operation, bulk },
      ...(time === undefined ? {} : { time }),
      playing: false,
    });
  };
  return [
    html('div', { class: 'bar' }, button('previous', words.previous, -1), button('next', words.next, 1), position),
    html('ol', { class: 'stories' }, ...items),
  ];
}
