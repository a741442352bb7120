/** Threads that die or stand still end a run with an error, within the time that it is given. */
import { describe, expect, it } from 'vitest';
import { lower } from '../../src/lower/index.ts';
import type { ThreadAssignment } from '../../src/run/member.ts';
import { collectiveOf } from '../collectives.ts';
import { copy, piece, schedule } from '../lower/building.ts';

// Threads run built code, and so does the side that starts them.
const built = (file: string): string => new URL(`../../dist/run/${file}`, import.meta.url).href;
const { startCrew }: typeof import('../../src/run/crew.ts') = await import(built('crew.js'));
const { runTables }: typeof import('../../src/run/tables.ts') = await import(built('tables.js'));
const { newCounters }: typeof import('../../src/run/progress.ts') = await import(built('progress.js'));
const { Control }: typeof import('../../src/run/control.ts') = await import(built('control.js'));
const { Memory }: typeof import('../../src/run/kernels/web-assembly.ts') = await import(
  built('kernels/web-assembly.js')
);

/** Two ranks swap their shards in one buffer: without copies aside, neither may receive before the other has. */
function swapping(changes: Partial<ThreadAssignment>): ThreadAssignment {
  const steps = [[copy(0, 1, piece('data 1', 'data 0')), copy(1, 0, piece('data 0', 'data 1'))]];
  const plan = lower(schedule(collectiveOf('alltoall', 2, { inPlace: true }), steps));
  const tables = runTables(plan);
  const { bulks, scratchPerBulk, buffers } = plan;
  return {
    tables,
    layout: { collective: plan.collective, bulks, scratchPerBulk, buffers, elements: 8, elementBytes: 4, staged: [] },
    counters: newCounters(tables, (bytes) => new SharedArrayBuffer(bytes)),
    staged: new Uint8Array(tables.kind.length),
    inflight: undefined,
    dtype: 'f32',
    op: undefined,
    inputs: { dtype: 'f32', op: 'max', ranks: 2, kind: 'exact', seed: 0 },
    memory: new Memory({ initial: 1, maximum: 1, shared: true }),
    control: Control.allocate(),
    threads: 2,
    isCrowded: true,
    isReplicated: false,
    record: undefined,
    ...changes,
  };
}

describe('a crew', () => {
  it('gives up a run in which nothing moves, and says what waits for what', async () => {
    const crew = startCrew(swapping({}), 300);
    await expect(crew.run(1, false)).rejects.toThrow(
      /the plan blocks: recv at rank 0.*would overwrite what send at rank 0/,
    );
    await crew.dismiss();
  });

  it('ends with the error of a thread that dies', async () => {
    const crew = startCrew(swapping({ dtype: 'f32', op: 'xor' }), 60_000);
    await expect(crew.run(1, false)).rejects.toThrow('f32 has no operator xor');
    await crew.dismiss();
  });
});
