/** Writes the Pareto frontier of steps and rounds as a table, as a JSON document and as charts. */

import { oneLine } from '../../ir/plain-text.ts';
import { counted } from '../../ir/units.ts';
import type { FoundFrontier } from '../../session/pareto-job.ts';
import { formatTable } from '../show/table.ts';
import { displayLimits } from '../shown.ts';

/** What `ccc pareto` prints. */
export function frontierText(result: FoundFrontier, title: string): string {
  const rows = result.points.map(({ chunks, steps, rounds, method, evidence }) => [
    String(chunks),
    String(steps),
    String(rounds),
    ratioText(rounds, chunks),
    method,
    evidence.status === 'infeasible' ? `impossible: ${evidence.reason}` : 'open',
  ]);
  const header = ['C', 'steps', 'rounds', 'rounds/C', 'found', 'with one round less'];
  const least = `at least ${counted(result.minSteps, 'step')}, and ${counted(Number(result.roundsPerChunk.toFixed(4)), 'round')} per chunk`;
  const bound = `${least} (with chunks of 1 B and unit links of 1 B/s: ${result.boundReason})`;
  return `${title}, C up to ${result.chunksUpTo}: ${bound}\n\n${formatTable({ header, rows })}\n\n${plot(result)}\n${closing(result)}`;
}

/** Says what is known about trade-offs that are not in the table. */
function closing({ complete, gaps, points, stoppedEarly }: FoundFrontier): string {
  if (complete) return 'Everything below these points is proved impossible.\n';
  const ended = stoppedEarly ? 'Stopped early: there may be more points, of as many chunks and of more.\n' : '';
  const open = [...gaps, ...points.map((p) => ({ ...p, rounds: p.rounds - 1, ...p.evidence }))].filter(
    ({ status }) => status === 'unknown',
  );
  if (open.length === 0) return ended;
  const names = open
    .slice(0, displayLimits.named)
    .map(({ chunks, steps, rounds }) => `(${chunks}, ${steps}, ${rounds})`);
  const more = open.length > displayLimits.named ? ` and ${open.length - displayLimits.named} more` : '';
  return `${ended}Neither found nor proved impossible, with so many rounds or fewer: ${names.join(' ')}${more}.\n`;
}

/** The fields of `--json`. */
export function frontierDocument(result: FoundFrontier): object {
  return {
    points: result.points.map(({ chunks, steps, rounds, status, method, evidence }) => ({
      chunks,
      steps,
      rounds,
      status,
      method,
      fewerRounds: evidence,
    })),
    gaps: result.gaps,
    bound: { steps: result.minSteps, roundsPerChunk: result.roundsPerChunk, reason: result.boundReason },
    chunksUpTo: result.chunksUpTo,
    complete: result.complete,
    stoppedEarly: result.stoppedEarly,
    limit: result.limit,
  };
}

/** Draws the frontier in characters: steps to the right, rounds per chunk upwards; each point shows its number of chunks C. */
function plot({ points, roundsPerChunk }: FoundFrontier): string {
  if (points.length < 2) return '';
  const most = Math.max(...points.map(({ rounds, chunks }) => rounds / chunks));
  const mostSteps = Math.max(...points.map(({ steps }) => steps));
  const grid = Array.from({ length: displayLimits.plotHeight }, () =>
    new Array<string>(displayLimits.plotWidth).fill(' '),
  );
  for (const { chunks, steps, rounds } of points) {
    const share = most === roundsPerChunk ? 0 : (rounds / chunks - roundsPerChunk) / (most - roundsPerChunk);
    const row = displayLimits.plotHeight - 1 - Math.round(share * (displayLimits.plotHeight - 1));
    const column = Math.round((steps / mostSteps) * (displayLimits.plotWidth - 4));
    for (const [i, digit] of [...String(chunks)].entries()) grid[row][column + i] = digit;
  }
  const scale = [ratioText(most, 1), ratioText(roundsPerChunk, 1)];
  const margin = Math.max(...scale.map((text) => text.length));
  const lines = grid.map((cells, row) => {
    const label = row === 0 ? scale[0] : row === displayLimits.plotHeight - 1 ? scale[1] : '';
    return `${label.padStart(margin)} │${cells.join('').trimEnd()}`;
  });
  const axis = `${' '.repeat(margin)} └${'─'.repeat(displayLimits.plotWidth)} ${counted(mostSteps, 'step')}`;
  return `rounds per chunk; points show C\n${lines.join('\n')}\n${axis}\n`;
}

function ratioText(rounds: number, chunks: number): string {
  return String(Number((rounds / chunks).toFixed(3)));
}

const drawing = { width: 640, height: 400, margin: 56 };

/** Draws the frontier as SVG: steps to the right, rounds per chunk upwards, the lower bound as a line. */
export function frontierSvg({ points, roundsPerChunk }: FoundFrontier, title: string): string {
  const { width, height, margin } = drawing;
  const mostSteps = Math.max(1, ...points.map(({ steps }) => steps));
  const most = Math.max(roundsPerChunk, ...points.map(({ rounds, chunks }) => rounds / chunks)) * 1.05;
  const x = (steps: number): number => margin + (steps / mostSteps) * (width - 2 * margin);
  const y = (ratio: number): number => height - margin - (ratio / most) * (height - 2 * margin);
  const at = (value: number): string => value.toFixed(1);
  const axes = [
    `<path d="M${margin} ${margin}V${height - margin}H${width - margin}" fill="none" stroke="#444"/>`,
    `<path d="M${margin} ${at(y(roundsPerChunk))}H${width - margin}" stroke="#b33" stroke-dasharray="5 4"/>`,
    text(width - margin, y(roundsPerChunk) + 16, `bound ${ratioText(roundsPerChunk, 1)}`, 'end'),
    text(width / 2, height - 16, 'steps', 'middle'),
    text(margin, margin - 12, 'rounds per chunk', 'start'),
    text(width / 2, 24, title, 'middle'),
  ];
  for (let steps = 1; steps <= mostSteps; steps += Math.ceil(mostSteps / 16)) {
    axes.push(text(x(steps), height - margin + 18, String(steps), 'middle'));
  }
  const marks = points.flatMap(({ chunks, steps, rounds }) => [
    `<circle cx="${at(x(steps))}" cy="${at(y(rounds / chunks))}" r="4" fill="#26c"/>`,
    text(x(steps) + 7, y(rounds / chunks) - 6, `(${chunks}, ${steps}, ${rounds})`, 'start'),
  ]);
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const style = 'font-family="sans-serif" font-size="12"';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${style}>\n${[...axes, ...marks].join('\n')}\n</svg>\n`;
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  const escaped = oneLine(content).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escaped}</text>`;
}
