/** One file for all sizes: the emitted TypeScript chooses by size, and with one tree of reductions it gives the same bits for every size. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanBundle, RangedBundle } from '../../src/emit/index.ts';
import { inProcess } from '../cli/in-process.ts';
import { emptyFolder } from '../temporary.ts';
import { emitterOfTypeScript, planOf, runTool, written } from './typescript/plans.ts';

interface Transport {
  readonly rank: number;
}

interface Emitted {
  localTransports(): readonly Transport[];
  allreduce(transport: Transport, input: Float32Array, output: Float32Array): Promise<void>;
  readonly plans: readonly { readonly from: number; run: (...operands: unknown[]) => Promise<void> }[];
}

function ranged(...plans: readonly (readonly [number, PlanBundle])[]): readonly RangedBundle[] {
  return plans.map(([from, bundle]) => ({ from, bundle }));
}

async function textOf(ranges: readonly RangedBundle[]): Promise<string> {
  return [...((await emitterOfTypeScript().emitRanges?.(ranges)) ?? [])].join('');
}

const ring = planOf('allreduce', { algorithm: 'ring' });
const doubling = planOf('allreduce', { algorithm: 'mirrored-recursive-doubling' });
const inBulks = planOf('allreduce', { algorithm: 'recursive-doubling', bulks: 2 });

/** Numbers whose sums round: those of an element depend on the rank and on the element modulo five, wherever it stands. */
function inputOf(rank: number, length: number): Float32Array {
  return Float32Array.from({ length }, (_, index) => Math.sin(1 + rank * 5 + (index % 5)) * 10 ** (rank - 2));
}

/** The bits of the sums, for each element modulo five. */
async function sums(module: Emitted, length: number): Promise<readonly ReadonlySet<number>[]> {
  const outputs = module.localTransports().map(() => new Float32Array(length));
  const calls = module
    .localTransports()
    .map((transport, rank) => module.allreduce(transport, inputOf(rank, length), outputs[rank]));
  await Promise.all(calls);
  const found = Array.from({ length: 5 }, () => new Set<number>());
  for (const output of outputs)
    for (const [index, bits] of new Uint32Array(output.buffer).entries()) found[index % 5].add(bits);
  return found;
}

const lengths = [5, 64, 255, 256, 1000, 4099];

/** How many results there are for an element of the same operands, over all lengths and places. */
async function differentSums(module: Emitted): Promise<number> {
  const all = Array.from({ length: 5 }, () => new Set<number>());
  for (const length of lengths) {
    const found = await sums(module, length);
    found.forEach((bits, element) => {
      for (const each of bits) all[element].add(each);
    });
  }
  return Math.max(...all.map((bits) => bits.size));
}

describe('a TypeScript file for all sizes', { timeout: 60_000 }, () => {
  it('runs the plan of the range, which all ranks choose alike', async () => {
    const text = (await textOf(ranged([0, doubling], [1024, inBulks]))).replace('const plans', 'export const plans');
    const module: Emitted = await import(written(text));
    const ran: number[] = [];
    module.plans.forEach((plan, index) => {
      const { run } = plan;
      plan.run = (...operands) => {
        ran.push(index);
        return run(...operands);
      };
    });
    for (const length of lengths) {
      ran.length = 0;
      const found = await sums(module, length);
      const exact = (element: number) => [0, 1, 2, 3].reduce((sum, rank) => sum + inputOf(rank, 5)[element], 0);
      found.slice(0, Math.min(5, length)).forEach((bits, element) => {
        for (const each of bits)
          expect(new Float32Array(Uint32Array.of(each).buffer)[0]).toBeCloseTo(exact(element), 4);
      });
      expect(ran).toEqual(Array(4).fill(4 * length < 1024 ? 0 : 1));
    }
  });

  it('gives the same bits for every size and place where all plans have one tree, and else not', async () => {
    const one: Emitted = await import(written(await textOf(ranged([0, doubling], [1024, inBulks]))));
    expect(await differentSums(one)).toBe(1);
    const other: Emitted = await import(written(await textOf(ranged([0, doubling], [1024, ring]))));
    expect(await differentSums(other)).toBeGreaterThan(1);
  });

  it('has no fault that the compiler sees', async () => {
    const path = written(await textOf(ranged([0, doubling], [1024, ring], [2 ** 20, inBulks])));
    const { status, printed } = await runTool('tsc', [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--types',
      'node',
      '--typeRoots',
      new URL('../../node_modules/@types', import.meta.url).pathname,
      path,
    ]);
    expect(printed).toBe('');
    expect(status).toBe(0);
  });
});

describe('ccc tune --emit', () => {
  const few = ['--topo', 'switch:4', '--sizes', '1KiB..64MiB', '--points', '4', '--engine', 'library'];

  it('writes one file whose plans all have one tree, and says what that costs', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const asked = ['tune', 'allreduce', ...few, '--same-bits', '--emit', 'ts', '-o', 'allreduce.ts'];
    const { status, stdout, stderr } = await inProcess(asked, '', folder);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/same bits: all plans combine every chunk by the tree \(.*\) on all ranks/);
    const file = join(folder, 'allreduce.ts');
    const module: Emitted = await import(file);
    expect(await differentSums(module)).toBe(1);
  });

  it.each([
    [['--emit', 'ts'], /say which with -o/],
    [['--emit', 'goal', '-o', 'x'], /goal is for one plan: all sizes in one file are for ts and mpi-c/],
    [['--same-bits', '--rules', 'x'], /--same-bits is for plans of ccc/],
    [['--rules-version', '4', '--rules', 'x'], /'4' is no version/],
  ])('refuses %o', async (options, message) => {
    const { status, stderr } = await inProcess(['tune', 'allreduce', ...few, ...options], '', emptyFolder());
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });
});
