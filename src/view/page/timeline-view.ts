/** The layout of the timeline: the visible rows, their heights, and the scale from times to pixels. */
import type { TimelineRow } from './plan-model.ts';
import { chosenLinks, chosenNodes, linkText, type Scene } from './scene.ts';
import { pageSizes } from './shown.ts';
import type { State } from './state.ts';

export interface RowPosition {
  readonly row: TimelineRow;
  readonly top: number;
  readonly height: number;
  readonly label: string;
}

/** The rows that the choice leaves, from top to bottom. */
export function rowPositions(scene: Scene, { rows: choice, selection }: State): readonly RowPosition[] {
  const { model } = scene;
  const links = choice === 'chosen' ? chosenLinks(scene, selection) : new Set<number>();
  const nodes = choice === 'chosen' ? chosenNodes(scene, selection) : new Set<number>();
  const { machine } = model.page;
  const criticalLanes = new Set(
    choice === 'critical' ? [...model.critical].map((at) => model.laneOf(at % model.count)) : [],
  );
  const isShown = ({ kind, index }: TimelineRow): boolean => {
    switch (choice) {
      case 'all':
        return true;
      case 'links':
        return kind === 'link';
      case 'lanes':
        return kind !== 'link';
      case 'critical':
        return kind === 'link' ? model.criticalLinks.has(index) : criticalLanes.has(index);
      case 'chosen': {
        if (kind !== 'link') return nodes.has(model.nodeOf(model.rankOfLane(index)));
        const { from, to } = machine.links[index];
        return links.has(index) || (selection.kind === 'node' && (nodes.has(from) || nodes.has(to)));
      }
    }
  };
  const places: RowPosition[] = [];
  let top = 0;
  for (const row of model.rows) {
    if (!isShown(row)) continue;
    const height = row.kind === 'measured' ? pageSizes.measuredRow : pageSizes.laneRow;
    places.push({ row, top, height, label: labelOf(scene, row) });
    top += height;
  }
  return places;
}

function labelOf(scene: Scene, { kind, index }: TimelineRow): string {
  const { model, words } = scene;
  if (kind === 'link') return linkText(scene, index);
  if (kind === 'measured') return words.measured;
  return `${words.rank} ${model.rankOfLane(index)} · ${words.lane} ${model.operations.laneId[index]}`;
}

export function heightOf(places: readonly RowPosition[]): number {
  const last = places[places.length - 1];
  return last === undefined ? 0 : last.top + last.height;
}

/** Finds the row at a height by bisection. */
export function placeAt(places: readonly RowPosition[], y: number): RowPosition | undefined {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle].top + places[middle].height <= y) low = middle + 1;
    else high = middle;
  }
  const place = places[low];
  return place !== undefined && y >= place.top ? place : undefined;
}

/** Times to pixels and back. */
export interface TimeScale {
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly width: number;
}

export function xOf({ from, to, left, width }: TimeScale, time: number): number {
  return left + ((time - from) / (to - from)) * width;
}

export function timeAt({ from, to, left, width }: TimeScale, x: number): number {
  return from + ((x - left) / width) * (to - from);
}
