/**
 * `tsx bench/sg2260.ts [--json] [--quick] [--svg FILE] [topology …]`: one table of what the collectives of SCCL (its calls but send and recv; a
 * barrier is an allreduce of one element there) and reducescatter reach on four SG2260 chips, with buffers near the links and in DDR, 64 KiB … 1 GiB:
 * time, optimality, and the pipeline of bulks as docs/pipelining.md defines it. `--quick` compiles with `--effort quick`. `--svg` draws the pipeline
 * of the headline command on buffers in DDR instead (docs/sg2260.md). `npm run build` first.
 */
import '../src/host/node.ts';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { OperationCode, operationAt, rankOfLane } from '../src/ir/plan.ts';
import { Routes } from '../src/ir/routes.ts';
import { formatBytes, formatSeconds } from '../src/ir/units.ts';
import { timeline } from '../src/model/index.ts';
import { resolveTopology } from '../src/read/index.ts';
import { loadPlan } from '../src/session/load-plan.ts';
import { Machine } from '../src/session/machine/machine.ts';

const kinds = [
  ...['allgather', 'broadcast', 'allreduce', 'reduce', 'gather', 'scatter', 'alltoall'],
  ...['barrier', 'reducescatter'],
];
const sizes = [2 ** 16, 2 ** 20, 2 ** 23, 2 ** 26, 2 ** 30];
const columns = ['machine', 'collective', 'M', 'time', 'bound', 'k', 'II', 'fill', 'what binds', 'gain'];

interface Row {
  readonly topology: string;
  readonly collective: string;
  readonly size: number;
  readonly seconds: number;
  readonly optimality: number;
  readonly bulks: number;
  /** Of pipelines only. */
  readonly interval?: number;
  readonly fill?: number;
  readonly gain?: number;
  readonly binding?: string;
}

/** What the command prints on standard output. */
function ccc(words: readonly string[]): string {
  return execFileSync(process.execPath, ['bin/ccc.js', ...words], {
    encoding: 'utf8',
    stdio: 'pipe',
    maxBuffer: 2 ** 30,
  });
}

function rowOf(topology: string, collective: string, size: number, options: readonly string[]): Row {
  const sized = collective === 'barrier' ? [] : ['--size', String(size)];
  const output = ccc(['compile', collective, '--topo', topology, ...sized, ...options, '--json']);
  const { cost, bound, pipeline } = JSON.parse(output);
  return {
    ...{ topology, collective, size, seconds: cost.seconds, optimality: bound.optimality, bulks: pipeline?.bulks ?? 1 },
    ...{ interval: pipeline?.interval, fill: pipeline?.fill, gain: pipeline?.gain },
    binding: pipeline?.binding?.name ?? pipeline?.binding?.kind,
  };
}

function cellsOf(row: Row): readonly string[] {
  const { topology, collective, size, seconds, optimality, bulks, interval, fill, gain, binding = '' } = row;
  const time = (value: number | undefined): string => (value === undefined ? '' : formatSeconds(value));
  return [
    ...[topology, collective, collective === 'barrier' ? '' : formatBytes(size), formatSeconds(seconds)],
    ...[optimality.toFixed(3), String(bulks), time(interval), time(fill), binding],
    gain === undefined ? '' : gain.toFixed(3),
  ];
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

/** What chip 0 does of a plan: its copies, and what it sends on its two links, bulk by bulk. */
async function picture(path: string): Promise<string> {
  const topology = resolveTopology('sg2260x4-ddr');
  const { plan } = (await loadPlan(path, { machine: Machine.of(topology) })).proved;
  const { operations, start, end } = timeline(plan, Routes.of(topology), 64 * 2 ** 20);
  const tracks = ['copies into L2', 'sends to chip 1', 'sends to chip 3', 'copies to DDR'];
  const last = end.reduce((most, at) => Math.max(most, at), 0);
  const [left, width, height] = [110, 640, 30];
  const boxes: string[] = [];
  const sends = Array.from(plan.ops.step).filter((_, o) => plan.ops.kind[o] === OperationCode.send);
  const steps = [...new Set(sends)].sort((a, b) => a - b);
  for (let instance = 0; instance < start.length; instance++) {
    const o = instance % operations;
    if (
      rankOfLane(
        plan,
        plan.firstOp.findLastIndex((first) => first <= o),
      ) !== 0
    )
      continue;
    const operation = operationAt(plan, o);
    const bulk = Math.floor(instance / operations);
    const isCopy = operation.op === 'copy';
    const track = isCopy ? (operation.dst.buffer === 'scratch' ? 0 : 3) : operation.op === 'send' ? operation.peer : -1;
    const row = isCopy ? track : track === 1 ? 1 : track === 3 ? 2 : -1;
    if (row < 0 || end[instance] <= start[instance]) continue;
    const [x, wide] = [start[instance], end[instance] - start[instance]].map((time) => (time / last) * width);
    const what = isCopy ? `${bulk + 1}` : `${bulk + 1}, it. ${steps.indexOf(operation.step) + 1}`;
    const colour = `hsl(${(bulk * 83) % 360} 60% ${isCopy ? 85 : 75}%)`;
    const y = row * (height + 6) + 4;
    boxes.push(
      `<rect x="${(left + x).toFixed(1)}" y="${y}" width="${wide.toFixed(1)}" height="${height}" fill="${colour}" stroke="#555" stroke-width="0.5"/>`,
    );
    if (wide > 9 * what.length * 0.62)
      boxes.push(`<text x="${(left + x + wide / 2).toFixed(1)}" y="${y + 19}" text-anchor="middle">${what}</text>`);
  }
  const names = tracks.map((name, row) => `<text x="0" y="${row * (height + 6) + 23}">${name}</text>`);
  const total = tracks.length * (height + 6) + 24;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 4} ${total}" font-family="sans-serif" font-size="11">`,
    `<title>Chip 0 of sg2260x4-ddr in an allgather of 64 MiB: bulks over its engines</title>`,
    ...names,
    ...boxes,
    `<text x="${left}" y="${total - 6}">0</text>`,
    `<text x="${left + width}" y="${total - 6}" text-anchor="end">${formatSeconds(last)}</text>`,
    '</svg>\n',
  ].join('\n');
}

const words = process.argv.slice(2);
const svg = words.indexOf('--svg');
if (svg >= 0) {
  const [plan, file] = [`${words[svg + 1]}.json`, words[svg + 1]];
  ccc(['compile', 'allgather', '--topo', 'sg2260x4-ddr', '-o', plan]);
  writeFileSync(file, await picture(plan));
} else {
  const named = words.filter((word) => !word.startsWith('--'));
  const options = words.includes('--quick') ? ['--effort', 'quick'] : [];
  const isJson = words.includes('--json');
  const rows: Row[] = [];
  if (!isJson) process.stdout.write(lineOf(columns) + lineOf(columns.map(() => '---')));
  for (const topology of named.length > 0 ? named : ['sg2260x4', 'sg2260x4-ddr']) {
    for (const kind of kinds) {
      for (const size of kind === 'barrier' ? [0] : sizes) {
        const row = rowOf(topology, kind, size, options);
        rows.push(row);
        if (!isJson) process.stdout.write(lineOf(cellsOf(row)));
      }
    }
  }
  if (isJson) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
}
