/** The panel with the table of steps. */
import { formatBytes } from '../../../ir/units.ts';
import type { PageStep } from '../../page-document.ts';
import { columnOf } from '../columns.ts';
import { html } from '../dom.ts';
import { VirtualList } from '../list.ts';
import { type PagePart, planTimeText, type Scene } from '../scene.ts';

export function stepsPanel(scene: Scene): PagePart {
  const { model, store, words } = scene;
  const { steps, clock, links } = model.page;
  const isTimed = clock === 'seconds';
  const uses = steps.map((step) => useOf(step, links.length));
  const list = new VirtualList({
    label: words['tab.steps'],
    head: [
      words.step,
      words.start,
      words.duration,
      words.messages,
      isTimed ? words.amount : words.amountChunks,
      words.linksUsed,
      words.meanUse,
    ],
    layout: 'of-steps',
    count: steps.length,
    entry: (index) => {
      const { step, start, end, messages, amount } = steps[index];
      const { used, share } = uses[index];
      return {
        cells: [
          { text: String(step) },
          { text: planTimeText(scene, start) },
          { text: planTimeText(scene, end - start) },
          { text: String(messages) },
          { text: isTimed ? formatBytes(amount) : String(amount) },
          { text: `${used}/${links.length}` },
          { text: percentText(share), share },
        ],
      };
    },
    choose: (index) => {
      const { step, start } = steps[index];
      store.set({ selection: { kind: 'step', step }, time: start, playing: false });
    },
  });
  return {
    element: html('div', {}, list.element),
    update: ({ selection }, before) => {
      if (before?.selection === selection) return;
      const step =
        selection.kind === 'step'
          ? selection.step
          : selection.kind === 'operation'
            ? model.operations.step[selection.operation]
            : undefined;
      list.mark((index) => steps[index].step === step);
      if (step !== undefined) list.reveal(steps.findIndex((entry) => entry.step === step));
    },
  };
}

/** How many links carry its messages, and how busy all that the plan uses are meanwhile, on average. */
function useOf({ start, end, links, busy }: PageStep, used: number): { readonly used: number; readonly share: number } {
  let total = 0;
  for (const seconds of columnOf(busy)) total += seconds;
  const time = used * (end - start);
  return { used: columnOf(links).length, share: time > 0 ? total / time : 0 };
}

function percentText(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
