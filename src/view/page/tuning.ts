/** The chart of a tuning: times over sizes, and the plan for each range of sizes. */
import { formatBytes, formatSeconds } from '../../ir/units.ts';
import type { PageTuning } from '../page-document.ts';
import { html, svg } from './dom.ts';
import type { PagePart, Scene } from './scene.ts';
import { pageSizes } from './shown.ts';
import { fill } from './words.ts';

const size = { width: 760, height: 300, left: 64, right: 12, top: 14, bottom: 30 } as const;
/** Signs at the points of curves, so that colours are not needed. */
const dashes = ['', '6 3', '2 3', '8 3 2 3', '1 4', '10 5'] as const;

/** Where a curve's name stands. */
function legendAt(index: number): number {
  return size.top + 12 + 15 * index;
}

type Position = (value: number) => number;

/** What is there without any plan, too. */
type TuningScene = Pick<Scene, 'document' | 'store' | 'words'>;

export function tuningPart(scene: TuningScene): PagePart | undefined {
  const { tuning } = scene.document;
  if (tuning === undefined) return undefined;
  const { words } = scene;
  const element = html(
    'section',
    { class: 'panel tuning' },
    html('h2', {}, `${tuning.collective} · ${tuning.topology}`),
    html(
      'div',
      { class: 'tuning-body' },
      chart(scene, tuning),
      html('ul', { class: 'ranges' }, ...rangesOf(scene, tuning)),
    ),
    html('p', { class: 'hint' }, `┆ ${words.switchPoint}; ╌ ${words.boundLine}`),
  );
  return { element, update: () => {} };
}

function rangesOf({ document, store, words }: TuningScene, { ranges }: PageTuning): readonly HTMLElement[] {
  return ranges.map(({ from, to, plan }) => {
    const index = document.plans.findIndex(({ name }) => name === plan);
    const text = fill(words.rangeOf, { from: formatBytes(from), to: formatBytes(to), plan });
    const open =
      index >= 0 && html('button', { type: 'button', onclick: () => store.set({ plan: index }) }, words.open);
    return html('li', { 'aria-current': index === store.state.plan }, text, ' ', open);
  });
}

function chart({ words }: TuningScene, { sizes, bound, curves, ranges }: PageTuning): SVGSVGElement {
  const others = curves.filter(({ inUse }) => !inUse).slice(0, pageSizes.others);
  const drawn = [...curves.filter(({ inUse }) => inUse), ...others];
  const times = [...bound, ...drawn.flatMap(({ seconds }) => seconds)].filter((time) => time > 0);
  const x = logarithmic(Math.min(...sizes), Math.max(...sizes), size.left, size.width - size.right);
  const y = logarithmic(Math.min(...times), Math.max(...times), size.height - size.bottom, size.top);
  const points = (seconds: readonly number[]) =>
    sizes
      .flatMap((at, index) => (seconds[index] > 0 ? [`${x(at).toFixed(1)},${y(seconds[index]).toFixed(1)}`] : []))
      .join(' ');
  const switches = ranges.slice(1).map(({ from }) => x(from));
  return svg(
    'svg',
    { class: 'chart', viewBox: `0 0 ${size.width} ${size.height}`, role: 'img', 'aria-label': words['tab.tuning'] },
    ...powers(Math.min(...times), Math.max(...times), 10).flatMap((time) => [
      svg('line', { class: 'grid', x1: size.left, x2: size.width - size.right, y1: y(time), y2: y(time) }),
      svg('text', { x: size.left - 6, y: y(time) + 4, class: 'end' }, formatSeconds(time)),
    ]),
    ...powers(Math.min(...sizes), Math.max(...sizes), 16).map((at) =>
      svg('text', { x: x(at), y: size.height - 10, class: 'middle' }, formatBytes(at)),
    ),
    ...switches.map((at) =>
      svg('line', { class: 'switch', x1: at, x2: at, y1: size.top, y2: size.height - size.bottom }),
    ),
    svg('polyline', { class: 'bound', points: points(bound) }),
    ...drawn.map(({ algorithm, seconds, inUse }, index) =>
      svg(
        'g',
        { class: `curve step${index % 6} ${inUse ? 'in-use' : ''}` },
        svg('polyline', { points: points(seconds), 'stroke-dasharray': dashes[index % dashes.length] }),
        svg('polyline', {
          points: `${size.left + 8},${legendAt(index) - 4} ${size.left + 34},${legendAt(index) - 4}`,
          'stroke-dasharray': dashes[index % dashes.length],
        }),
        svg('text', { x: size.left + 40, y: legendAt(index) }, algorithm),
      ),
    ),
  );
}

function logarithmic(least: number, most: number, start: number, end: number): Position {
  const span = Math.log(most / least);
  return (value) => (span === 0 ? (start + end) / 2 : start + ((end - start) * Math.log(value / least)) / span);
}

function powers(least: number, most: number, base: number): readonly number[] {
  const found: number[] = [];
  for (let power = Math.ceil(Math.log(least) / Math.log(base) - 1e-9); base ** power <= most * 1.000001; power++)
    found.push(base ** power);
  return found;
}
