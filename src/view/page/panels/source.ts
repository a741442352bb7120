/** The panel with the source file of the operations, line by line. */
import { html, refill } from '../dom.ts';
import { VirtualList } from '../list.ts';
import type { PagePart, Scene } from '../scene.ts';
import type { Selection } from '../state.ts';
import { fill } from '../words.ts';

export function sourcePanel(scene: Scene): PagePart {
  const { model, store, words } = scene;
  const { sources } = model.page;
  if (sources.length === 0) return { element: html('p', { class: 'empty' }, words.noSources), update: () => {} };
  const counts = sources.map((_, index) => countsOf(scene, index));
  let shown = -1;
  let lines: readonly string[] = [];
  const note = html('p', { class: 'hint' });
  const picker = html(
    'select',
    { 'aria-label': words.line, onchange: () => show(Number(picker.value)) },
    ...sources.map(({ name }, index) => html('option', { value: index }, name)),
  );
  const list = new VirtualList({
    label: words['tab.source'],
    head: [],
    layout: 'of-lines',
    count: 0,
    entry: () => ({ cells: [] }),
    choose: () => {},
  });
  const show = (index: number): void => {
    if (index === shown) return;
    shown = index;
    picker.value = String(index);
    const { name, text } = sources[index];
    lines = text?.replace(/\n$/, '').split('\n') ?? [];
    refill(note, text === undefined ? fill(words.noSource, { name }) : '');
    list.show({
      label: name,
      head: [],
      layout: 'of-lines',
      count: lines.length,
      entry: (line) => {
        const count = counts[index].get(line + 1) ?? 0;
        const title = count === 0 ? undefined : fill(words.sourceHint, { count });
        return {
          cells: [{ text: String(line + 1) }, { text: lines[line], title }],
          marks: count > 0 ? 'has-operations' : '',
        };
      },
      choose: (line) => store.set({ selection: { kind: 'line', source: index, line: line + 1 } }),
    });
  };
  return {
    element: html(
      'div',
      { class: 'source' },
      sources.length > 1 && html('div', { class: 'bar' }, picker),
      note,
      list.element,
    ),
    update: ({ selection }, before) => {
      if (before?.selection === selection) return;
      const place = placeOf(scene, selection);
      show(place?.source ?? Math.max(0, shown));
      list.mark((index) => place?.source === shown && place.line === index + 1);
      if (place !== undefined) list.reveal(place.line - 1);
    },
  };
}

function placeOf(
  { model }: Scene,
  selection: Selection,
): { readonly source: number; readonly line: number } | undefined {
  if (selection.kind === 'line') return selection;
  if (selection.kind !== 'operation') return undefined;
  const source = model.operations.source[selection.operation];
  return source < 0 ? undefined : { source, line: model.operations.line[selection.operation] };
}

/** Operations by line. */
function countsOf({ model }: Scene, wanted: number): ReadonlyMap<number, number> {
  const { source, line } = model.operations;
  const counts = new Map<number, number>();
  for (let operation = 0; operation < model.count; operation++) {
    if (source[operation] === wanted) counts.set(line[operation], (counts.get(line[operation]) ?? 0) + 1);
  }
  return counts;
}
