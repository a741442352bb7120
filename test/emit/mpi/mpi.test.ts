/** Plans as C for MPI: what the emitter refuses, and that what it writes compiles, runs and means what MPI's own function means. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mpiC } from '../../../src/emit/mpi/index.ts';
import type { Dtype } from '../../../src/ir/dtype.ts';
import { OperationCode } from '../../../src/ir/plan.ts';
import { lower } from '../../../src/lower/index.ts';
import { tokensOf } from '../../../src/passes/index.ts';
import { resolveTopology, type ScheduleRequest } from '../../../src/read/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { ringAllgather } from '../../passes/algorithms.ts';
import { planOf } from '../../seeds/library.ts';
import { emptyFolder } from '../../temporary.ts';
import { planOf as planOfText } from '../../verify/plans.ts';
import { bundleOf, emitted, hasMpi, hasValgrind, mpicc, mpirun, wrongElements } from './support.ts';

describe('mpi-c, as text', () => {
  it('is the same every time and says what was proved', async () => {
    const text = await emitted(planOf('ring-allgather', 3));
    expect(await emitted(planOf('ring-allgather', 3))).toBe(text);
    expect(text).toContain('race-free under strict ownership');
    expect(text).toContain(
      'int ccc_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf',
    );
  });

  it('takes plans that need room for one message, and refuses those that need more', () => {
    const exchange = planOf('full-mesh-alltoall', 3, { inPlace: true });
    expect(mpiC.check(bundleOf(exchange))).toEqual([]);
    // The first receive of the lane is of what rank 0 sends last.
    const deep = planOfText({
      collective: collectiveOf('broadcast', 2, { chunks: 3 }),
      programs: [
        [['send i0 1', 'send i1 1', 'send i2 1 ch=1'], ['copy i0*3 o0*3']],
        [['recv o2 0 ch=1', 'recv o0 0', 'recv o1 0']],
      ],
    });
    expect(mpiC.check(bundleOf(deep)).join()).toMatch(/^the plan needs room for 2 undelivered messages/);
  });

  it('refuses collectives that MPI does not have', () => {
    const custom = planOf('reduce-exchange-broadcast-custom', 4);
    expect(mpiC.check(bundleOf(custom))).toEqual(['MPI has no call for a custom collective']);
  });
});

const counts = [1, 5, 64, 3001, 16_384];

const runs: readonly (readonly [string, number, Partial<ScheduleRequest>, number, Dtype])[] = [
  ['full-mesh-allgather', 4, { inPlace: true }, 1, 'f32'],
  ['recursive-doubling-allgather', 4, { chunks: 2 }, 3, 'i16'],
  ['bruck-allgather', 3, { inPlace: true }, 2, 'u8'],
  ['direct-allreduce', 4, { inPlace: true }, 1, 'f64'],
  ['recursive-doubling-allreduce', 4, { inPlace: true }, 1, 'f32'],
  ['ring-allreduce', 3, {}, 2, 'i32'],
  ['pairwise-reducescatter', 3, { inPlace: true }, 1, 'i64'],
  ['recursive-halving-reducescatter', 4, {}, 2, 'u32'],
  ['full-mesh-alltoall', 3, { inPlace: true }, 1, 'i8'],
  ['bruck-alltoall', 4, {}, 1, 'f32'],
  ['binomial-broadcast', 4, { inPlace: true, root: 2, chunks: 3 }, 2, 'u64'],
  ['binomial-reduce', 3, { inPlace: true, root: 1 }, 1, 'u16'],
  ['binomial-gather', 4, { inPlace: true, root: 3 }, 1, 'f32'],
  ['binomial-scatter', 3, { root: 1 }, 2, 'f64'],
  ['chain-scan', 3, { inPlace: true }, 1, 'i32'],
  ['dissemination-exscan', 4, { op: 'max' }, 1, 'f32'],
  ['dissemination-barrier', 4, {}, 1, 'i32'],
];

describe.skipIf(!hasMpi)('mpi-c, run (needs mpicc and mpirun)', () => {
  it.each(runs)('%s on %i processes, %o, %i bulks, %s', async (name, ranks, changes, bulks, dtype) => {
    const plan = { ...planOf(name, ranks, changes), bulks };
    expect(await wrongElements(plan, dtype, counts)).toBe(0);
  });

  it('combines the tokens of a barrier, for which MPI names no operator', async () => {
    const plan = lower(tokensOf(ringAllgather(4), collectiveOf('barrier', 4)));
    expect(plan.ops.kind).toContain(OperationCode.recvReduce);
    expect(await wrongElements(plan, 'i32', [1])).toBe(0);
  });

  it('finds fault with a program that puts a message in the wrong place', async () => {
    const plan = planOf('full-mesh-allgather', 2, { inPlace: true });
    const misplace = (text: string): string =>
      text.replace('CCC_OUTPUT, 1, 1, 0, 0, 0 }', 'CCC_OUTPUT, 0, 1, 0, 0, 0 }');
    expect(misplace(await emitted(plan))).not.toBe(await emitted(plan));
    expect(await wrongElements(plan, 'f32', [64], misplace)).toBeGreaterThan(0);
  });
});

/** The emitted functions that special.c calls, with what they hand on counted, for three ranks and chunks that few counts fill. */
const specials = [
  ['full-mesh-allgather', 'Allgather'],
  ['direct-allreduce', 'Allreduce'],
  ['binomial-gather', 'Gather'],
  ['binomial-reduce', 'Reduce'],
  ['binomial-broadcast', 'Bcast'],
  ['chain-scan', 'Scan'],
  ['chain-exscan', 'Exscan'],
] as const;

let special: Promise<string> | undefined;

/** The program, compiled when it is first asked for. */
function specialProgram(): Promise<string> {
  special ??= compileSpecial(emptyFolder());
  return special;
}

async function compileSpecial(folder: string): Promise<string> {
  const objects: string[] = [];
  for (const [schedule, name] of specials) {
    const file = join(folder, `${name}.c`);
    writeFileSync(file, await emitted(planOf(schedule, 3, { inPlace: true, chunks: 3 })));
    mpicc(['-g', `-DPMPI_${name}=mpi_${name}`, '-c', '-o', `${file}.o`, file]);
    objects.push(`${file}.o`);
  }
  const program = join(folder, 'special');
  mpicc(['-g', '-o', program, new URL('special.c', import.meta.url).pathname, ...objects]);
  return program;
}

describe.skipIf(!hasMpi)('mpi-c beside plain buffers (needs mpicc and mpirun)', () => {
  it('takes types with gaps, operators and roots of any kind, and hands on what is not its own', async () => {
    const { stdout, stderr } = mpirun(4, [await specialProgram()]);
    expect(stdout + stderr).toBe('all good\n');
  });

  it.skipIf(!hasValgrind)(
    'is clean under valgrind',
    async () => {
      const folder = emptyFolder();
      const program = await specialProgram();
      const noise = '--suppressions=/usr/share/openmpi/openmpi-valgrind.supp';
      const watch = ['valgrind', '-q', noise, '--leak-check=full', `--log-file=${join(folder, 'log.%p')}`];
      const { stdout } = mpirun(4, ['--mca', 'btl_vader_single_copy_mechanism', 'none', ...watch, program, '2']);
      expect(stdout).toBe('all good\n');
      const logs = readdirSync(folder).filter((file) => file.startsWith('log.'));
      expect(logs).toHaveLength(4);
      // What does not come from emitted code is Open MPI's own. It keeps one key per process to the end.
      const reports = logs.flatMap((file) => readFileSync(join(folder, file), 'utf8').split(/^==\d+== \n/m));
      const ours = reports.filter((text) => text.includes('ccc_') && !text.includes('create_keyval'));
      expect(ours).toEqual([]);
    },
    300_000,
  );

  it('replaces MPI’s function under a program that knows nothing of it', async () => {
    const folder = emptyFolder();
    const shim = join(folder, 'shim.so');
    const text = await emitted(planOf('ring-allgather', 3));
    // The shim says that it was there.
    const told = text.replace('{\n  return ccc_allgather(', '{\n  puts("by the plan");\n  return ccc_allgather(');
    expect(told).not.toBe(text);
    writeFileSync(join(folder, 'shim.c'), `#include <stdio.h>\n${told}`);
    mpicc(['-DCCC_PMPI', '-shared', '-fPIC', '-o', shim, join(folder, 'shim.c')]);
    writeFileSync(join(folder, 'main.c'), plainProgram);
    const program = join(folder, 'plain');
    mpicc(['-o', program, join(folder, 'main.c')]);
    expect(mpirun(3, [program]).stdout).toBe('right\n'.repeat(3));
    const lines = mpirun(3, ['-x', `LD_PRELOAD=${shim}`, program])
      .stdout.trim()
      .split('\n')
      .sort();
    expect(lines).toEqual([...Array(3).fill('by the plan'), ...Array(3).fill('right')]);
  });

  it('sends whole units from addresses of whole units on machines whose messages are made of them', async () => {
    const folder = emptyFolder();
    const plan = planOf('ring-allreduce', 4, { chunks: 12 });
    const bundle = { ...bundleOf(plan), topology: resolveTopology('sg2260x4') };
    writeFileSync(join(folder, 'plan.c'), [...(await mpiC.emit(bundle))].join(''));
    writeFileSync(join(folder, 'main.c'), countingProgram);
    const program = join(folder, 'counting');
    mpicc(['-Wl,--wrap=PMPI_Isend', '-o', program, join(folder, 'main.c'), join(folder, 'plan.c')]);
    // 100 KiB in three times four chunks is no whole number of units each; nor is what comes after it of any size.
    for (const elements of [25600, 3 * 4 * 32, 25601, 17]) {
      expect(mpirun(4, [program, `${elements}`]).stdout).toBe('0 wrong, 0 between units\n'.repeat(4));
    }
  });
});

const countingProgram = `#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int ccc_allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int __real_PMPI_Isend(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
int __wrap_PMPI_Isend(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
static int sent, between;
int __wrap_PMPI_Isend(const void *at, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
  sent++;
  between += n * 4 % 128 != 0 || (uintptr_t)at % 128 != 0;
  return __real_PMPI_Isend(at, n, type, to, tag, comm, request);
}
int main(int argc, char **argv)
{
  int n = atoi(argv[argc - 1]), rank, wrong = 0, i;
  float *from = aligned_alloc(128, 1 << 20), *to = aligned_alloc(128, 1 << 20);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < n; i++) from[i] = (float)(i % 97 + rank);
  ccc_allreduce(from, to, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  for (i = 0; i < n; i++) wrong += to[i] < (float)(4 * (i % 97) + 6) || to[i] > (float)(4 * (i % 97) + 6);
  printf("%d wrong, %d between units\\n", wrong, sent > 0 ? between : -1);
  MPI_Finalize();
}
`;

const plainProgram = `#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
  int rank, all[3];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  puts(all[0] == 0 && all[1] == 1 && all[2] == 2 ? "right" : "wrong");
  MPI_Finalize();
}
`;
