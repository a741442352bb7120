/** The panel with the program of a rank: its lanes, their operations, and the dependencies and source lines of these. */
import { html } from '../dom.ts';
import { type ListEntry, type ListSource, VirtualList } from '../list.ts';
import type { PlanModel } from '../plan-model.ts';
import { isChosen, lineText, operationText, type PagePart, planTimeText, type Scene } from '../scene.ts';
import type { Selection } from '../state.ts';

/** Of a program: the head of a lane, or an operation. */
type Line = { readonly lane: number } | { readonly operation: number };

export function programsPanel(scene: Scene): PagePart {
  const { model, store, words } = scene;
  const { ranks } = model.page.collective;
  let rank = 0;
  let lines = linesOf(model, rank);
  const picker = html(
    'select',
    { 'aria-label': words.rank, onchange: () => show(Number(picker.value)) },
    ...Array.from({ length: ranks }, (_, index) => html('option', { value: index }, `${words.rank} ${index}`)),
  );
  const list = new VirtualList(source(scene, lines, 0));
  const show = (wanted: number, bulk = 0): void => {
    rank = wanted;
    picker.value = String(rank);
    lines = linesOf(model, rank);
    list.show(source(scene, lines, bulk));
  };
  return {
    element: html('div', { class: 'programs' }, html('div', { class: 'bar' }, picker), list.element),
    update: ({ selection }, before) => {
      if (before?.selection === selection) return;
      const wanted = rankOf(model, selection);
      const bulk = selection.kind === 'operation' ? selection.bulk : 0;
      show(wanted ?? rank, bulk);
      list.mark((index) => {
        const line = lines[index];
        return 'operation' in line && isMarked(model, selection, line.operation, bulk);
      });
      if (selection.kind === 'operation') {
        list.reveal(lines.findIndex((line) => 'operation' in line && line.operation === selection.operation));
      }
    },
  };

  function source({ model: plan, ...rest }: Scene, shown: readonly Line[], bulk: number): ListSource {
    return {
      label: words['tab.programs'],
      head: [words.operation, words.step, words.at, words.waits, words.line],
      layout: 'of-operations',
      count: shown.length,
      entry: (index) => entryOf({ model: plan, ...rest }, shown[index], bulk),
      choose: (index) => {
        const line = shown[index];
        if ('operation' in line) store.set({ selection: { kind: 'operation', operation: line.operation, bulk } });
      },
    };
  }
}

function isMarked(model: PlanModel, selection: Selection, operation: number, bulk: number): boolean {
  if (selection.kind === 'operation') return selection.operation === operation;
  return selection.kind !== 'node' && isChosen(model, selection, bulk * model.count + operation);
}

function rankOf(model: PlanModel, selection: Selection): number | undefined {
  if (selection.kind === 'operation') return model.rankOf(selection.operation);
  if (selection.kind !== 'node') return undefined;
  const { rank } = model.page.machine.nodes[selection.node];
  return rank < 0 ? undefined : rank;
}

function linesOf(model: PlanModel, rank: number): readonly Line[] {
  const { firstLane, firstOp } = model.operations;
  const lines: Line[] = [];
  for (let lane = firstLane[rank]; lane < firstLane[rank + 1]; lane++) {
    lines.push({ lane });
    for (let operation = firstOp[lane]; operation < firstOp[lane + 1]; operation++) lines.push({ operation });
  }
  return lines;
}

function entryOf(scene: Scene, line: Line, bulk: number): ListEntry {
  const { model, words } = scene;
  const { laneId, firstOp, step } = model.operations;
  if ('lane' in line) return { cells: [{ text: `${words.lane} ${laneId[line.lane]}` }], isHeading: true };
  const { operation } = line;
  const at = bulk * model.count + operation;
  const index = operation - firstOp[model.laneOf(operation)];
  return {
    cells: [
      { text: `${index}  ${operationText(scene, operation)}` },
      { text: String(step[operation]) },
      { text: model.start.length > 0 ? planTimeText(scene, model.start[at]) : '' },
      { text: waitsOf(model, operation) },
      { text: lineText(scene, operation) ?? '' },
    ],
    marks: model.critical.has(at) ? 'on-critical' : '',
  };
}

/** `[lane, index]` as plans write it, with the bulks that lie between. */
function waitsOf(model: PlanModel, operation: number): string {
  const { firstAfter, afterOp, afterBulks, firstOp, laneId } = model.operations;
  const waits: string[] = [];
  for (let at = firstAfter[operation]; at < firstAfter[operation + 1]; at++) {
    const lane = model.laneOf(afterOp[at]);
    const bulks = afterBulks[at] > 0 ? `, ${afterBulks[at]}` : '';
    waits.push(`[${laneId[lane]}, ${afterOp[at] - firstOp[lane]}${bulks}]`);
  }
  return waits.join(' ');
}
