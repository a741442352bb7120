/** One C file for all sizes: several of them in one program, their variants with counts, and what they say of themselves. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mpiC } from '../../../src/emit/mpi/index.ts';
import { planOf } from '../../seeds/library.ts';
import { emptyFolder } from '../../temporary.ts';
import { bundleOf, hasMpi, mpicc, mpirun } from './support.ts';

/** Plans for short messages and for long ones, and from how many bytes on the second serves. */
const ranges = [
  ['reduce-broadcast-allreduce', 'ring-allreduce', 4096],
  ['full-mesh-allgather', 'ring-allgather', 12_288],
  ['pairwise-reducescatter', 'ring-reducescatter', 12_288],
] as const;

async function textOf([short, long, from]: (typeof ranges)[number]): Promise<string> {
  const [first, second] = [short, long].map((name, index) => ({
    from: index === 0 ? 0 : from,
    bundle: bundleOf({ ...planOf(name, 3, { inPlace: true }), bulks: index + 1 }),
  }));
  return [...((await mpiC.emitRanges?.([first, second])) ?? [])].join('');
}

async function program(): Promise<string> {
  const folder = emptyFolder();
  const files = await Promise.all(
    ranges.map(async (pair) => {
      const file = join(folder, `${pair[0]}.c`);
      writeFileSync(file, await textOf(pair));
      return file;
    }),
  );
  const target = join(folder, 'program');
  mpicc(['-o', target, new URL('ranges.c', import.meta.url).pathname, ...files]);
  return target;
}

describe('mpi-c for all sizes, as text', () => {
  it('says from which size on which plan serves', async () => {
    const text = await textOf(ranges[0]);
    expect(text).toContain('from 4 KiB on: ring-allreduce');
    expect(text).toMatch(/\{ "reduce-broadcast-allreduce[^"]*", 0u, /);
    expect(text).toMatch(/\{ "ring-allreduce[^"]*", 4096u, /);
  });
});

describe.skipIf(!hasMpi)('mpi-c for all sizes, run (needs mpicc and mpirun)', { timeout: 200_000 }, () => {
  it('gives what MPI gives, for sizes on both sides, equal counts and others, wherever they lie', async () => {
    const { stdout, stderr } = mpirun(3, [await program(), '1', '7', '1023', '1024', '1025', '5000']);
    expect(stdout + stderr).toBe('0 wrong\n');
  });

  it('says which plan served each call, and which went on to MPI and why', async () => {
    const target = await program();
    const { stdout, stderr } = mpirun(3, ['-x', 'CCC_VERBOSE=1', target, '1023', '1024']);
    expect(stdout).toBe('0 wrong\n');
    const served = (bytes: number, [reduced, gathered, scattered]: readonly string[]) => [
      `ccc: MPI_Allreduce of ${bytes} bytes by ${reduced}`,
      `ccc: MPI_Allgather of ${3 * bytes} bytes by ${gathered}`,
      `ccc: MPI_Reduce_scatter_block of ${3 * bytes} bytes by ${scattered}`,
      `ccc: MPI_Reduce_scatter of ${3 * bytes} bytes by ${scattered}`,
      'ccc: MPI_Reduce_scatter goes on to MPI: its counts differ, it is empty or too large, or no plan is for its operator',
      ...Array(2).fill(`ccc: MPI_Allgatherv of ${3 * bytes} bytes by ${gathered}`),
      'ccc: MPI_Allgatherv goes on to MPI: its counts differ, or it is empty or too large',
    ];
    const names = ranges.map(([short]) => planOf(short, 3).name);
    const longer = ranges.map(([, long]) => planOf(long, 3).name);
    expect(stderr.trim().split('\n')).toEqual([...served(4 * 1023, names), ...served(4096, longer)]);
  });

  it('says so where a communicator has other ranks', async () => {
    const folder = emptyFolder();
    const text = await textOf(ranges[1]);
    writeFileSync(join(folder, 'shim.c'), text);
    writeFileSync(join(folder, 'main.c'), twoRanks);
    mpicc(['-o', join(folder, 'program'), join(folder, 'shim.c'), join(folder, 'main.c')]);
    const { stdout, stderr } = mpirun(2, ['-x', 'CCC_VERBOSE=1', join(folder, 'program')]);
    expect(stdout + stderr).toBe('ccc: MPI_Allgather goes on to MPI: the plans are for one group of 3 ranks\n');
  });
});

const twoRanks = `#include <mpi.h>
int ccc_allgather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
int main(int argc, char **argv)
{
  int rank, all[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ccc_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Finalize();
  return all[1] != 1;
}
`;
