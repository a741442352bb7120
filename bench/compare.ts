/**
 * `npm run bench:compare -- <old> <new> [--rows N] [--seed S] [--effort quick|full] [--broken] [--save file.json]`: two checkouts on drawn requests, row by row.
 * With `--broken` machines have lost a part, and searches are quick. Each side is a checkout's folder, or a file that `--save` wrote of the last side; a side alone is only measured. Prints the geometric means of
 * optimality (against the old side's bound), the CPU time, and every row that differs by more than 2 %.
 */
import '../src/host/node.ts';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { CollectiveKind } from '../src/ir/collective.ts';
import type { Topology } from '../src/ir/topology.ts';
import { parseBytes } from '../src/ir/units.ts';
import { resolveTopology, withoutParts } from '../src/read/index.ts';
import { drawn } from './broken-sample.ts';
import { type DrawnRequest, drawnRequests, editedMachine } from './drawn-requests.ts';

type Api = typeof import('../src/index.ts');

interface Measured {
  readonly what: string;
  readonly kind: string;
  readonly seconds: number;
  readonly bound: number;
  readonly cpuSeconds: number;
  readonly plan: string;
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    effort: { type: 'string', default: 'full' },
    engine: { type: 'string', default: 'auto' },
    save: { type: 'string' },
    only: { type: 'string', default: '' },
    broken: { type: 'boolean', default: false },
  },
});

interface Request extends Pick<DrawnRequest, 'what' | 'kind' | 'root' | 'bytes'> {
  readonly machine: () => Topology;
}

function bytesOf(text: string): number {
  const parsed = parseBytes(text);
  if (!('value' in parsed)) throw new Error(`${text} is no size`);
  return parsed.value;
}

/** Both sides get the same machines, made here. */
function requests(): Request[] {
  const [rows, seed] = [Number(options.rows), Number(options.seed)];
  if (options.broken) {
    return drawn(rows, seed).map(({ topology, without, collective, size }) => ({
      what: `${collective} ${topology} --without ${without} ${size}`,
      kind: collective as CollectiveKind,
      root: 0,
      bytes: bytesOf(size),
      machine: () => withoutParts(resolveTopology(topology), [without]),
    }));
  }
  const ranksOf = (name: string): number => resolveTopology(name).chips.length;
  return drawnRequests(rows, seed, ranksOf).map((request) => ({
    ...request,
    machine: () => editedMachine(resolveTopology(request.topology), request.edits),
  }));
}

function measureRow({ searchPlan, searchDefaults }: Api, { what, kind, root, bytes, machine }: Request): Measured {
  const topology = machine();
  const ranks = topology.chips.length;
  const collective = { kind, ranks, chunks: 1, root, op: 'sum', ordered: false, inPlace: false } as const;
  const { engine } = options;
  const effort = options.effort === 'quick' || options.broken ? 'quick' : 'full';
  const began = process.cpuUsage();
  const { bundle } = searchPlan({ ...searchDefaults, collective, topology, size: bytes, effort, engine });
  const { user, system } = process.cpuUsage(began);
  const { cost, bound, proved } = bundle;
  return {
    what,
    kind,
    seconds: cost.seconds,
    bound: bound.seconds,
    cpuSeconds: (user + system) / 1e6,
    plan: `${bundle.origin?.engine}: ${proved.plan.name} ×${proved.plan.bulks}`,
  };
}

async function measured(side: string): Promise<readonly Measured[]> {
  if (existsSync(side) && statSync(side).isFile()) return JSON.parse(readFileSync(side, 'utf8'));
  const api: Api = await import(pathToFileURL(resolve(side, 'src/index.ts')).href);
  const rows = requests()
    .filter(({ what }) => what.includes(options.only))
    .map((request, index) => {
      if (process.stderr.isTTY) process.stderr.write(`\r${index} ${request.what}`.padEnd(70));
      return measureRow(api, request);
    });
  if (options.save !== undefined) writeFileSync(options.save, JSON.stringify(rows, null, 1));
  return rows;
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

function summary(rows: readonly Measured[]): string {
  const optimality = geometricMean(rows.map(({ bound, seconds }) => bound / seconds));
  const cpu = rows.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  const longest = Math.max(...rows.map(({ cpuSeconds }) => cpuSeconds));
  return `${rows.length} rows, ${optimality.toFixed(4)} of the bound, ${cpu.toFixed(1)} s CPU, longest ${longest.toFixed(1)}`;
}

function compared(before: readonly Measured[], after: readonly Measured[]): string[] {
  const pairs = before.flatMap((old) => {
    const now = after.find(({ what }) => what === old.what);
    return now === undefined ? [] : [{ old, now: { ...now, bound: old.bound }, times: now.seconds / old.seconds }];
  });
  const kinds = [...new Set(pairs.map(({ old }) => old.kind))];
  const worse = (by: number) => pairs.filter(({ times }) => times > 1 + by).length;
  const different = pairs.filter(({ times }) => Math.abs(times - 1) > 0.02).sort((a, b) => a.times - b.times);
  return [
    `old: ${summary(pairs.map(({ old }) => old))}`,
    `new: ${summary(pairs.map(({ now }) => now))}`,
    `worse: ${worse(1e-9)}, by 1 %: ${worse(0.01)}, by 5 %: ${worse(0.05)}`,
    ...kinds.map((kind) => {
      const of = pairs.filter(({ old }) => old.kind === kind);
      return `  ${kind}: time × ${geometricMean(of.map(({ times }) => times)).toFixed(4)} (${of.length})`;
    }),
    ...different.map(({ old, now, times }) => {
      const parts = [old, now].map(({ bound, seconds, plan }) => `${(bound / seconds).toFixed(3)} ${plan}`);
      return `${times.toFixed(3)} ${old.what}: ${parts.join(' → ')} (${old.cpuSeconds.toFixed(1)} → ${now.cpuSeconds.toFixed(1)} s)`;
    }),
  ];
}

const sides: (readonly Measured[])[] = [];
for (const side of positionals) sides.push(await measured(side));
const lines = sides.length === 2 ? compared(sides[0], sides[1]) : sides.map(summary);
process.stdout.write(`${lines.join('\n')}\n`);
