/** The panel of links: the use of each link, over the whole time and within the selected step. */
import { formatBytes } from '../../../ir/units.ts';
import { columnOf } from '../columns.ts';
import { html } from '../dom.ts';
import { type ListSource, VirtualList } from '../list.ts';
import { chosenLinks, linkText, type PagePart, planTimeText, type Scene } from '../scene.ts';
import type { Selection } from '../state.ts';
import { fill } from '../words.ts';

export function linksPanel(scene: Scene): PagePart {
  const { model } = scene;
  const { links } = model.page;
  const order = links.map((_, index) => index).sort((a, b) => links[b].busy - links[a].busy || a - b);
  const list = new VirtualList(source(scene, order, { kind: 'nothing' }));
  return {
    element: html('div', {}, list.element),
    update: ({ selection }, before) => {
      if (before?.selection === selection) return;
      list.show(source(scene, order, selection));
      const chosen = chosenLinks(scene, selection);
      list.mark((index) => chosen.has(links[order[index]].link));
      if (selection.kind === 'link') list.reveal(order.findIndex((index) => links[index].link === selection.link));
    },
  };
}

function source({ model, store, words, ...scene }: Scene, order: readonly number[], selection: Selection): ListSource {
  const whole = { model, store, words, ...scene };
  const { links, duration, clock, steps } = model.page;
  const step = selection.kind === 'step' ? steps.find((entry) => entry.step === selection.step) : undefined;
  const within = new Map<number, number>();
  if (step !== undefined) {
    const busy = columnOf(step.busy);
    columnOf(step.links).forEach((link, at) => {
      within.set(link, busy[at]);
    });
  }
  return {
    label: words['tab.links'],
    head: [
      words.link,
      words.messages,
      clock === 'seconds' ? words.amount : words.amountChunks,
      words.busy,
      words.share,
      ...(step === undefined ? [] : [fill(words.inStep, { step: step.step })]),
    ],
    layout: step === undefined ? 'of-links' : 'of-links with-step',
    count: links.length,
    entry: (index) => {
      const { link, messages, amount, busy } = links[order[index]];
      const share = duration > 0 ? busy / duration : 0;
      const length = step === undefined ? 0 : step.end - step.start;
      const inStep = length > 0 ? (within.get(link) ?? 0) / length : 0;
      return {
        cells: [
          { text: linkText(whole, link), title: model.page.machine.links[link].speed },
          { text: String(messages) },
          { text: clock === 'seconds' ? formatBytes(amount) : String(amount) },
          { text: planTimeText(whole, busy) },
          { text: percentText(share), share },
          ...(step === undefined ? [] : [{ text: percentText(inStep), share: inStep }]),
        ],
        marks: model.criticalLinks.has(link) ? 'on-critical' : '',
      };
    },
    choose: (index) => store.set({ selection: { kind: 'link', link: links[order[index]].link } }),
  };
}

function percentText(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
