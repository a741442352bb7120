/** The panel that describes the selected operation, link or node, with links to everything related. */
import { html, refill } from './dom.ts';
import { lineText, linkText, operationText, type PagePart, planTimeText, type Scene } from './scene.ts';
import type { Selection, State } from './state.ts';
import { fill } from './words.ts';

export function chosenPart(scene: Scene): PagePart {
  const element = html('section', { class: 'chosen-part', 'aria-live': 'polite' });
  return {
    element,
    update: ({ selection, time }: State, before) => {
      const follows = selection.kind === 'node' && before?.time !== time;
      if (before?.selection === selection && !follows) return;
      refill(element, ...describe(scene, selection, time));
    },
  };
}

function describe(scene: Scene, selection: Selection, time: number): readonly HTMLElement[] {
  const { model, store, words } = scene;
  const { machine, duration } = model.page;
  const line = (text: string) => html('span', {}, text);
  const leadsTo = (text: string, to: Selection, tab?: string) =>
    html(
      'button',
      {
        type: 'button',
        class: 'lead',
        onclick: () => store.set({ selection: to, ...(tab === undefined ? {} : { tab }) }),
      },
      text,
    );
  switch (selection.kind) {
    case 'nothing':
      return [html('span', { class: 'hint' }, words.nothingChosen)];
    case 'link': {
      const use = model.page.links.find(({ link }) => link === selection.link);
      const busy = use === undefined ? 0 : use.busy;
      const share = duration > 0 ? `${((100 * busy) / duration).toFixed(1)} %` : '';
      return [
        line(linkText(scene, selection.link)),
        line(machine.links[selection.link].speed),
        line(`${words.busy} ${planTimeText(scene, busy)}, ${share}`),
      ];
    }
    case 'node': {
      const { name, rank } = machine.nodes[selection.node];
      if (rank < 0) return [line(name)];
      const received = `${Math.round(100 * model.received(rank, time))} %`;
      return [
        line(fill(words.nodeHint, { name, rank: `${words.rank} ${rank}`, received })),
        leadsTo(words['tab.programs'], selection, 'programs'),
      ];
    }
    case 'step':
      return [line(`${words.step} ${selection.step}`), leadsTo(words['tab.links'], selection, 'links')];
    case 'line': {
      const { name } = model.page.sources[selection.source];
      return [line(`${name}:${selection.line}`)];
    }
    case 'operation': {
      const { operation, bulk } = selection;
      const at = bulk * model.count + operation;
      const partner = model.operations.partner[operation];
      const place = lineText(scene, operation);
      const times =
        model.start.length === 0
          ? []
          : [line(`${planTimeText(scene, model.start[at])} – ${planTimeText(scene, model.end[at])}`)];
      return [
        line(`${words.rank} ${model.rankOf(operation)}: ${operationText(scene, operation)}`),
        ...times,
        leadsTo(
          `${words.step} ${model.operations.step[operation]}`,
          { kind: 'step', step: model.operations.step[operation] },
          'steps',
        ),
        ...(model.page.bulks > 1 ? [line(`${words.bulk} ${bulk}`)] : []),
        ...(partner < 0 ? [] : [leadsTo(words.partner, { kind: 'operation', operation: partner, bulk })]),
        leadsTo(words['tab.programs'], selection, 'programs'),
        ...(place === undefined ? [] : [leadsTo(place, selection, 'source')]),
        ...(model.critical.has(at) ? [html('span', { class: 'critical-word' }, words.onCritical)] : []),
      ];
    }
  }
}
