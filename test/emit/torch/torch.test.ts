/** Emitted files run by PyTorch over gloo, in as many processes as they have ranks. Where Debian's python3-torch is missing the tests say so. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanBundle } from '../../../src/emit/index.ts';
import { emitters } from '../../../src/targets/index.ts';
import { emptyFolder } from '../../temporary.ts';
import { planOf } from '../typescript/plans.ts';

const python = '/usr/bin/python3';
const hasTorch = spawnSync(python, ['-c', 'import torch.distributed as d; assert d.is_gloo_available()']).status === 0;
const driver = new URL('driver.py', import.meta.url).pathname;
const emitter = emitters.find(({ name }) => name === 'torch');

async function textOf(bundle: PlanBundle): Promise<string> {
  return [...((await emitter?.emit(bundle)) ?? [])].join('');
}

/** What the driver finds wrong with the files of these plans, all of which have so many ranks. */
async function wrongWith(ranks: number, bundles: Readonly<Record<string, PlanBundle>>): Promise<unknown> {
  const folder = emptyFolder();
  const paths: string[] = [];
  for (const [name, bundle] of Object.entries(bundles)) {
    const path = join(folder, `${name}.py`);
    writeFileSync(path, await textOf(bundle));
    paths.push(path);
  }
  return JSON.parse(execFileSync(python, [driver, String(ranks), ...paths], { encoding: 'utf8' }));
}

if (!hasTorch) process.stderr.write('python3-torch is not installed: plans are not run by PyTorch\n');
const withTorch = describe.skipIf(!hasTorch);

withTorch('a file for torch', () => {
  it('gives every rank of four what its collective says, whatever the collective', async () => {
    const kinds = [
      'allgather',
      'reducescatter',
      'allreduce',
      'broadcast',
      'reduce',
      'scatter',
      'gather',
      'alltoall',
    ] as const;
    const plans = Object.fromEntries(
      [...kinds, 'scan' as const, 'exscan' as const].map((kind) => [kind, planOf(kind)]),
    );
    expect(await wrongWith(4, plans)).toEqual({});
  });

  it('does so in place, in bulks, from another root and with another operator', async () => {
    const plans = {
      inPlace: planOf('allreduce', { topology: 'ring:3', inPlace: true, bulks: 3 }),
      gathered: planOf('allgather', { topology: 'ring:3', inPlace: true }),
      scattered: planOf('reducescatter', { topology: 'ring:3', inPlace: true, bulks: 2 }),
      rooted: planOf('broadcast', { topology: 'line:3', root: 2, bulks: 5 }),
      reduced: planOf('reduce', { topology: 'line:3', root: 1, inPlace: true }),
      exchanged: planOf('alltoall', { topology: 'full:3', inPlace: true }),
      greatest: planOf('allreduce', { topology: 'ring:3', op: 'max' }),
      before: planOf('exscan', { topology: 'line:3', bulks: 4 }),
      barrier: planOf('barrier', { topology: 'ring:3' }),
    };
    expect(await wrongWith(3, plans)).toEqual({});
  });
});

describe('what torch cannot say', () => {
  it('is refused with its reason', () => {
    const reasons = (bundle: PlanBundle): string => (emitter?.check(bundle) ?? []).join();
    expect(reasons(planOf('allreduce', { op: 'minloc', dtype: 'f32+i32' }))).toContain('no operator minloc');
    expect(reasons(planOf('scan', { ordered: true }))).toContain('order of operands');
    expect(reasons(planOf('allreduce'))).toBe('');
  });
});
