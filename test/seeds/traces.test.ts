/** Traces, step counts and volumes that the source documents print. */
import { describe, expect, it } from 'vitest';
import { run } from './interpreter.ts';
import { chunksMoved, messagesOf, pairsOf, planOf, scheduleOf } from './library.ts';

const sum = (left: number, right: number): number => left + right;

describe('many to one', () => {
  it('binomial reduce of 8 ranks pairs neighbours, then pairs of pairs', () => {
    expect(messagesOf(scheduleOf('binomial-reduce', 8)).map(pairsOf)).toEqual(['1→0 3→2 5→4 7→6', '2→0 6→4', '4→0']);
  });

  it('binomial gather of 8 ranks moves M/8, M/4 and M/2', () => {
    const steps = messagesOf(scheduleOf('binomial-gather', 8));
    expect(steps.map(pairsOf)).toEqual(['1→0 3→2 5→4 7→6', '2→0 6→4', '4→0']);
    expect(steps.map((step) => [...new Set(step.map((message) => message.chunks))])).toEqual([[1], [2], [4]]);
  });

  it('binomial broadcast and scatter are the same trees backwards', () => {
    const backwards = ['0→4', '0→2 4→6', '0→1 2→3 4→5 6→7'];
    expect(messagesOf(scheduleOf('binomial-broadcast', 8)).map(pairsOf)).toEqual(backwards);
    expect(messagesOf(scheduleOf('binomial-scatter', 8)).map(pairsOf)).toEqual(backwards);
  });

  it('a pipelined chain has N + k − 2 stages', () => {
    for (const [ranks, blocks] of [
      [2, 1],
      [4, 8],
      [7, 3],
    ]) {
      expect(messagesOf(scheduleOf('pipelined-chain-reduce', ranks, { chunks: blocks }))).toHaveLength(
        ranks + blocks - 2,
      );
    }
  });
});

describe('allgather', () => {
  it('ring of 4 gives node 0 D, C, B in turn', () => {
    const names = ['A', 'B', 'C', 'D'];
    const held = names.map((name) => [name]);
    const table = messagesOf(scheduleOf('ring-allgather', 4)).map((step) => {
      for (const { to, first } of step) held[to].push(names[first[0]]);
      return held.map((shards) => `[${shards}]`).join(' ');
    });
    expect(table).toEqual([
      '[A,D] [B,A] [C,B] [D,C]',
      '[A,D,C] [B,A,D] [C,B,A] [D,C,B]',
      '[A,D,C,B] [B,A,D,C] [C,B,A,D] [D,C,B,A]',
    ]);
  });

  it('recursive doubling of 8 pairs ranks at distance 1, 2, 4 with 1, 2, 4 shards', () => {
    const steps = messagesOf(scheduleOf('recursive-doubling-allgather', 8));
    expect(steps.map(pairsOf)).toEqual([
      '0→1 1→0 2→3 3→2 4→5 5→4 6→7 7→6',
      '0→2 1→3 2→0 3→1 4→6 5→7 6→4 7→5',
      '0→4 1→5 2→6 3→7 4→0 5→1 6→2 7→3',
    ]);
    expect(steps.map((step) => step[0].chunks)).toEqual([1, 2, 4]);
  });

  it('the halved ring of 4 ends in two iterations with 3M/8 on every link', () => {
    const schedule = scheduleOf('halved-ring-allgather', 4);
    expect(schedule.steps.stepCount).toBe(2);
    const load = new Map<string, number>();
    for (const { from, to, chunks } of messagesOf(schedule).flat()) {
      load.set(`${from}→${to}`, (load.get(`${from}→${to}`) ?? 0) + chunks);
    }
    expect([...load.values()]).toEqual(new Array(8).fill(3)); // chunks of M/8
  });

  it('takes the steps the literature says', () => {
    for (let ranks = 2; ranks <= 33; ranks++) {
      const steps = (name: string): number => messagesOf(scheduleOf(name, ranks)).length;
      expect(steps('ring-allgather')).toBe(ranks - 1);
      expect(steps('bidirectional-ring-allgather')).toBe(Math.ceil((ranks - 1) / 2));
      expect(steps('halved-ring-allgather')).toBe(Math.floor(ranks / 2));
      expect(steps('bruck-allgather')).toBe(Math.ceil(Math.log2(ranks)));
      if (ranks % 2 === 0) expect(steps('neighbour-exchange-allgather')).toBe(ranks / 2);
    }
  });

  it('and reducescatter move half of what an allreduce does', () => {
    for (const ranks of [2, 4, 7]) {
      const shards = (name: string): number => chunksMoved(scheduleOf(name, ranks));
      expect(shards('ring-allgather')).toBe(ranks * (ranks - 1));
      expect(shards('ring-reducescatter')).toBe(ranks * (ranks - 1));
      expect(shards('ring-allreduce')).toBe(2 * ranks * (ranks - 1));
    }
  });
});

describe('five ways to an allreduce', () => {
  const rows: readonly (readonly [string, (p: number) => number, (p: number) => number])[] = [
    ['full-mesh-allreduce', () => 1, (p) => p * (p - 1)],
    ['single-node-allreduce', () => 2, (p) => 2 * (p - 1)],
    ['binary-tree-allreduce', (p) => 2 * Math.floor(Math.log2(p)), (p) => 2 * (p - 1)],
    ['naive-ring-allreduce', (p) => 2 * (p - 1), (p) => 2 * (p - 1)],
    ['ring-allreduce', (p) => 2 * (p - 1), (p) => 2 * (p - 1)],
  ];

  it.each(rows)('%s takes the steps and moves the bytes that the notes count', (name, steps, vectors) => {
    for (let ranks = 2; ranks <= 17; ranks++) {
      const schedule = scheduleOf(name, ranks);
      expect(messagesOf(schedule)).toHaveLength(steps(ranks));
      expect(chunksMoved(schedule)).toBe(vectors(ranks) * schedule.collective.chunks);
    }
  });

  it('the staggered ring of 5 starts with part i at node i, and every node sends one part in every step', () => {
    const steps = messagesOf(scheduleOf('ring-allreduce', 5));
    expect(steps).toHaveLength(8);
    const parts = steps.map((step) =>
      step.map(({ from, to, first, chunks }) => {
        expect([to, chunks]).toEqual([(from + 1) % 5, 1]);
        return first[0];
      }),
    );
    expect(parts.slice(0, 4)).toEqual([
      [0, 1, 2, 3, 4],
      [4, 0, 1, 2, 3],
      [3, 4, 0, 1, 2],
      [2, 3, 4, 0, 1],
    ]);
    expect(parts.slice(4)).toEqual([
      [1, 2, 3, 4, 0],
      [0, 1, 2, 3, 4],
      [4, 0, 1, 2, 3],
      [3, 4, 0, 1, 2],
    ]);
  });
});

describe('ranks beyond a power of two', () => {
  it('Rabenseifner with 13 ranks folds five pairs, and ranks 0 2 4 6 8 10 11 12 go on', () => {
    const steps = messagesOf(scheduleOf('rabenseifner-allreduce', 13));
    expect(steps.map(pairsOf).slice(0, 2)).toEqual(['0→1 1→0 2→3 3→2 4→5 5→4 6→7 7→6 8→9 9→8', '1→0 3→2 5→4 7→6 9→8']);
    for (const step of steps.slice(2, -1)) {
      expect([...new Set(step.map(({ from }) => from))]).toEqual([0, 2, 4, 6, 8, 10, 11, 12]);
    }
    expect(pairsOf(steps[steps.length - 1])).toBe('0→1 2→3 4→5 6→7 8→9');
    expect(steps.map((step) => step[0].chunks)).toEqual([4, 4, 4, 2, 1, 1, 2, 4, 8]);
  });

  it('binary blocks with 100 ranks are 64, 32 and 4', () => {
    const block = (rank: number): number => (rank < 64 ? 64 : rank < 96 ? 32 : 4);
    const between = messagesOf(scheduleOf('binary-blocks-allreduce', 100))
      .map((step) => step.filter(({ from, to }) => block(from) !== block(to)))
      .filter((step) => step.length > 0);
    const summary = between.map((step) => [block(step[0].from), block(step[0].to), step.length, step[0].chunks]);
    expect(summary).toEqual([
      [4, 32, 32, 2],
      [32, 64, 64, 1],
      [64, 32, 64, 1],
      [32, 4, 32, 2],
    ]);
  });

  it('recursive halving with 6 ranks folds pairs or halves round a circle', () => {
    const folded = messagesOf(scheduleOf('folded-recursive-halving-reducescatter', 6)).map(pairsOf);
    expect(folded).toEqual(['0→1 2→3', '1→4 3→5 4→1 5→3', '1→3 3→1 4→5 5→4', '1→0 3→2']);
    const circle = messagesOf(scheduleOf('recursive-halving-reducescatter', 6));
    expect(circle.map((step) => [step[0].to - step[0].from, step[0].chunks])).toEqual([
      [3, 3],
      [2, 1],
      [1, 1],
    ]);
  });

  it('recursive doubling with 6 ranks folds 0→1 and 2→3', () => {
    expect(messagesOf(scheduleOf('recursive-doubling-allreduce', 6)).map(pairsOf)).toEqual([
      '0→1 2→3',
      '1→3 3→1 4→5 5→4',
      '1→4 3→5 4→1 5→3',
      '1→0 3→2',
    ]);
  });
});

describe('scan', () => {
  const inputs = [3, 1, 4, 0, 2];
  const scans = [
    'hypercube-scan',
    'mirrored-hypercube-scan',
    'dissemination-scan',
    'chain-scan',
    'pipelined-chain-scan',
    'direct-scan',
  ];
  const exscans = [
    'hypercube-exscan',
    'mirrored-hypercube-exscan',
    'dissemination-exscan',
    'chain-exscan',
    'direct-exscan',
  ];

  it.each(scans)('%s of 3 1 4 0 2 is 3 4 8 8 10', (name) => {
    expect(run(planOf(name, 5), (rank) => inputs[rank], sum).flat()).toEqual([3, 4, 8, 8, 10]);
  });

  it.each(exscans)('%s of 3 1 4 0 2 is nothing, 3, 4, 8, 8', (name) => {
    expect(
      run(planOf(name, 5), (rank) => inputs[rank], sum)
        .flat()
        .slice(1),
    ).toEqual([3, 4, 8, 8]);
  });

  it('the hypercube scan of 8 leaves out 7 of the 24 messages of the pattern', () => {
    // Downwards (to a lower rank) only those count whose receiver sends their sum on upwards later.
    const steps = messagesOf(scheduleOf('hypercube-scan', 8));
    expect(steps.map(pairsOf)).toEqual(['0→1 1→0 2→3 3→2 4→5 5→4 6→7', '0→2 1→3 2→0 3→1 4→6 5→7', '0→4 1→5 2→6 3→7']);
  });
});

describe('MPICH names', () => {
  it('smp reduces in groups, goes across between their first ranks and broadcasts in groups', () => {
    const steps = messagesOf(scheduleOf('smp-allreduce', 8, { parameters: { group: 4 } }));
    expect(steps.map(pairsOf)).toEqual(['1→0 3→2 5→4 7→6', '2→0 6→4', '0→4 4→0', '0→2 4→6', '0→1 2→3 4→5 6→7']);
  });

  it('the inter-communicator allreduce gives each group the sum of the other', () => {
    const plan = planOf('reduce-exchange-broadcast-custom', 5, { parameters: { local: 2 } });
    expect(run(plan, (rank) => 10 ** rank, sum).flat()).toEqual([11100, 11100, 11, 11, 11]);
  });
});
