/** A strip over the whole time: it shows how many links are busy, and the window of the timeline, which can be dragged here. */
import { html } from './dom.ts';
import { Dragging } from './dragging.ts';
import type { PlanModel } from './plan-model.ts';
import type { PagePart, Scene } from './scene.ts';
import { pageSizes } from './shown.ts';
import type { State } from './state.ts';
import { panned } from './window.ts';

export function overviewPart(scene: Scene): PagePart {
  const { model, store, words } = scene;
  const canvas = html('canvas', {
    class: 'overview',
    width: pageSizes.overviewColumns,
    height: pageSizes.overview,
    role: 'img',
    'aria-label': words.overview,
  });
  const work = workOf(model);
  const top = Math.max(1, ...work);
  const timeOf = (x: number): number => {
    const box = canvas.getBoundingClientRect();
    return ((x - box.left) / box.width) * model.page.duration;
  };
  new Dragging(canvas, {
    moved: (by) => {
      const { duration } = model.page;
      store.set(panned(store.state, duration, (by / canvas.getBoundingClientRect().width) * duration));
    },
    pinched: () => {},
    clicked: (event) => {
      const { from, to } = store.state;
      const time = Math.min(model.page.duration, Math.max(0, timeOf(event.clientX)));
      store.set({ time, ...panned(store.state, model.page.duration, time - (from + to) / 2) });
    },
  });
  const draw = ({ from, to, time }: State): void => {
    const context = canvas.getContext('2d');
    if (context === null) return;
    const style = getComputedStyle(canvas);
    const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const { duration } = model.page;
    const x = (at: number): number => (duration > 0 ? (at / duration) * pageSizes.overviewColumns : 0);
    context.clearRect(0, 0, pageSizes.overviewColumns, pageSizes.overview);
    context.fillStyle = colour('faint');
    work.forEach((count, column) => {
      const tall = (count / top) * (pageSizes.overview - 4);
      context.fillRect(column, pageSizes.overview - tall, 1, tall);
    });
    context.fillStyle = colour('veil');
    context.fillRect(0, 0, x(from), pageSizes.overview);
    context.fillRect(x(to), 0, pageSizes.overviewColumns - x(to), pageSizes.overview);
    context.strokeStyle = colour('accent');
    context.lineWidth = 1.5;
    context.strokeRect(x(from) + 1, 1, Math.max(2, x(to) - x(from) - 2), pageSizes.overview - 2);
    context.fillStyle = colour('accent');
    context.fillRect(x(time) - 1, 0, 2, pageSizes.overview);
  };
  return {
    element: html('div', { class: 'overview-frame' }, canvas),
    update: (state, before) => {
      const isSame = before?.from === state.from && before.to === state.to && before.time === state.time;
      if (!isSame || before?.theme !== state.theme) draw(state);
    },
  };
}

/** By column of the strip: the average number of busy links, or of busy lanes if there are no links. */
function workOf(model: PlanModel): Float64Array {
  const work = new Float64Array(pageSizes.overviewColumns);
  const { duration } = model.page;
  if (!(duration > 0)) return work;
  const kind = model.rows.some((row) => row.kind === 'link') ? 'link' : 'lane';
  const width = duration / pageSizes.overviewColumns;
  for (const row of model.rows) {
    if (row.kind !== kind) continue;
    for (let at = row.first[0]; at < row.first[row.first.length - 1]; at++) {
      addSpan(work, model.spans.start[at] / width, model.spans.end[at] / width);
    }
  }
  return work;
}

/** @param start in columns */
function addSpan(work: Float64Array, start: number, end: number): void {
  const last = Math.min(pageSizes.overviewColumns - 1, Math.floor(end));
  for (let column = Math.min(pageSizes.overviewColumns - 1, Math.floor(start)); column <= last; column++) {
    work[column] += Math.max(0, Math.min(end, column + 1) - Math.max(start, column));
  }
}
