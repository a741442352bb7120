/** The judge of MSCCL++ plans, rung by rung: what it says, and in whose words. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { firstError } from '../../../src/ir/verification.ts';
import {
  acquire,
  barrier,
  exchange,
  type GpuJson,
  gpu,
  judge,
  move,
  nop,
  type OpJson,
  overPort,
  type PlanJson,
  packetExchange,
  plan,
  portAllgather,
  relaxed,
  release,
  share,
  signal,
  wait,
} from './plans.ts';

const corpus = new URL('../../../../shared/corpus/mscclpp-plans/', import.meta.url);
const here = existsSync(corpus);
if (!here) console.info('skipped: the files of ../shared/corpus/mscclpp-plans are not here');

/** Verdict and the first error's message. */
function said(json: PlanJson): { verdict: string; message: string } {
  const { verdict, findings } = judge(json);
  return { verdict, message: firstError(findings)?.message ?? '' };
}

/** A plan of one gpu that is judged for order alone. */
function alone(parts: Partial<Parameters<typeof gpu>[0]>, ...blocks: OpJson[][]): PlanJson {
  return plan('test', false, [gpu({ chunks: [2, 2, 2], semaphores: [0, 0], ...parts }, ...blocks)]);
}

/** Allgather in place: one side puts, the other side is told. */
function pushed(before: OpJson[], after: OpJson[], other: OpJson[]): PlanJson {
  const put = (own: number): OpJson => move('put', `o${own} > r0.${own}`);
  return plan('allgather', true, [
    gpu({ chunks: [1, 2, 0], memory: [1], remote: [[1, 'o']] }, [signal(0), wait(0), nop, ...before, put(0), ...after]),
    gpu({ chunks: [1, 2, 0], memory: [0], remote: [[0, 'o']] }, [signal(0), wait(0), nop, put(1), ...other]),
  ]);
}

describe('right plans', () => {
  it.each([
    ['a reduction by puts', exchange()],
    ['packets', packetExchange()],
    ['port channels', portAllgather()],
    ['an allgather', pushed([], [nop, signal(0), wait(0)], [nop, signal(0), wait(0)])],
  ])('include %s', (_, json) => {
    const { verdict, findings } = judge(json);
    expect(findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
    expect(verdict).toBe('correct');
  });

  it.runIf(here)('those of the corpus', () => {
    for (const file of readdirSync(corpus)) {
      expect(judge(JSON.parse(readFileSync(new URL(file, corpus), 'utf8'))).verdict, file).toBe('correct');
    }
  });

  it('say how they were judged', () => {
    expect(judge(exchange()).proved.join('\n')).toMatch(
      /1 block of a gpu[\s\S]*no deadlock[\s\S]*no data race[\s\S]*allreduce/,
    );
    expect(judge(alone({}, [move('copy', 'i0 > o0')])).proved.join('\n')).toContain("'test' does not say");
  });
});

describe('what the runtime would not take', () => {
  const with_ = (change: (json: PlanJson) => void, json = exchange()): PlanJson => {
    change(json);
    return json;
  };
  const first = (json: PlanJson): OpJson[] => json.gpus[0].threadblocks[0].ops;
  const nops = (count: number): OpJson[] => Array.from({ length: count }, () => nop);

  it.each<[string, PlanJson, RegExp]>([
    ['gpus out of order', with_((p) => p.gpus.reverse()), /gpu at position 0 has the id 1/],
    ['blocks out of order', with_((p) => (p.gpus[1].threadblocks[0].id = 1)), /Block 0 of gpu 1 has the id 1/],
    ['no input chunks', with_((p) => (p.gpus[0].input_chunks = 0)), /gpu 0 has 0 input chunks/],
    ['too many operations', with_((p) => first(p).push(...nops(60))), /has 72 operations, and the runtime takes 64/],
    [
      'bodies of pipelines count',
      with_((p) => first(p).push({ name: 'pipeline', iter_context: { unit_size: 64, num_chunks: 1 }, ops: nops(60) })),
      /has 73 operations/,
    ],
    [
      'unknown operations',
      with_((p) => first(p).push({ name: 'glre' })),
      /gpu 0, block 0, op 12 \(glre\) is no operation/,
    ],
    ['barriers beyond 15', with_((p) => first(p).push(barrier(16, 1))), /has barrier id 16/],
    ['a channel that is not there', with_((p) => first(p).push(signal(3))), /names 3 of the block's memory channels/],
    [
      'channels of gpus that are not there',
      with_((p) => (p.gpus[0].channels[0].connected_to = [7])),
      /channel to gpu 7/,
    ],
    [
      'too many channels of a block',
      with_((p) => {
        p.gpus[0].channels[0].connected_to = Array(17).fill(1);
        p.gpus[0].threadblocks[0].channels[0].channel_ids = Array.from({ length: 17 }, (_, id) => id);
      }),
      /uses 17 memory channels, and the runtime has room for 16/,
    ],
    ['too many channels of an operation', with_((p) => first(p).push(signal(...Array(9).fill(0)))), /9 channels/],
    ['semaphores that are not there', with_((p) => first(p).push(acquire(0))), /uses semaphore 0, and the gpu has 0/],
    ['buffers that are not there', with_((p) => first(p).push(move('put', 'i0 > r5.0'))), /remote buffer 5/],
    ['chunks beyond a buffer', with_((p) => first(p).push(move('copy', 'i1:2 > s0:2'))), /chunks 1 to 2 of input/],
    ['packets outside scratch', with_((p) => first(p).push(move('ppkt', 'i0 > r1.0'))), /packets in input/],
    ['packets without LL', with_((p) => first(p).push(move('ppkt', 'i0 > r0.0'))), /twice as large under protocol LL/],
    [
      'a put with signal over memory',
      with_((p) => first(p).push(move('pws', 'i0 > r0.0'))),
      /works over port channels/,
    ],
    ['different sizes', with_((p) => first(p).push(move('copy', 'i0:2 > s0'))), /different sizes/],
    [
      'a share that is not there',
      with_((p) => first(p).push(share(move('copy', 'i0 > s0'), 2, 2))),
      /block 2 of a group of 2/,
    ],
    ['too many threads', with_((p) => (p.num_threads_per_block = 2048)), /at most 1024 threads/],
    ['too many blocks', with_((p) => p.gpus[0].threadblocks.push(...manyBlocks(400))), /401 thread blocks/],
    [
      'buffers of another collective',
      with_((p) => (p.collective = 'allgather')),
      /has 2 output chunks; allgather on 2/,
    ],
  ])('is refused: %s', (_, json, message) => {
    const found = said(json);
    expect(found.verdict).toBe('malformed');
    expect(found.message).toMatch(message);
  });

  function manyBlocks(count: number): GpuJson['threadblocks'] {
    return Array.from({ length: count }, (_, at) => ({ id: at + 1, ops: [], channels: [], remote_buffer_refs: [] }));
  }
});

describe('what does not go on', () => {
  it('signals without a wait, and the other way round', () => {
    const found = said(pushed([], [nop, signal(0)], [nop, signal(0), wait(0)]));
    expect(found.verdict).toBe('mismatched');
    expect(found.message).toMatch(
      /^Memory channel 0 of gpu 1 to gpu 0 counts 2 signals and 1 waits in a call: a wait is missing/,
    );
  });

  it('two that wait for each other first', () => {
    const found = said(pushed([], [nop, wait(0), signal(0)], [nop, wait(0), signal(0)]));
    expect(found.verdict).toBe('deadlock');
    expect(found.message).toMatch(
      /gpu 1, block 0, op 5 \(wait\) waits for ever for signal 2 of memory channel 0 of gpu 0/,
    );
  });

  it('a signal of another thread is not held up by a wait', () => {
    const two = { chunks: [1, 1, 0], remote: [] } as const;
    const ops = (own: number): OpJson[] => [wait(0), { ...signal(own === 0 ? 1 : 1, 0), channel_ids: [1, 0] }];
    // Thread 0 waits on channel 0; thread 1 signals channel 0 meanwhile.
    const json = plan('custom', true, [
      gpu({ ...two, memory: [1, 1] }, [...ops(0), wait(1)]),
      gpu({ ...two, memory: [0, 0] }, [...ops(1), wait(1)]),
    ]);
    expect(judge(json).verdict).toBe('correct');
  });

  it('packets that nobody writes', () => {
    const json = packetExchange();
    json.gpus[0].threadblocks[0].ops.shift();
    expect(said(json)).toMatchObject({
      verdict: 'deadlock',
      message: expect.stringContaining('(respkt) waits for ever for a packet'),
    });
  });

  it('barriers that not all come to', () => {
    expect(said(alone({}, [barrier(3, 2)], [])).message).toMatch(
      /op 0 \(barrier\) is a barrier of 2 blocks, and 1 of gpu 0/,
    );
  });
});

describe('races', () => {
  it.each<[string, PlanJson, RegExp]>([
    ['without a nop', alone({}, [move('copy', 'i0 > s0'), move('copy', 's0 > o0')]), /Missing: a nop between them/],
    [
      'between blocks',
      alone({}, [move('copy', 'i0 > s0')], [move('copy', 's0 > o0')]),
      /sem_release in block 0, and a sem_acquire and a nop in block 1/,
    ],
    [
      'a release without a nop before it',
      alone({}, [move('copy', 'i0 > s0'), release(0)], [acquire(0), nop, move('copy', 's0 > o0')]),
      /gpu 0, block 0, op 0 \(copy\) writes gpu 0 scratch\[0\], which gpu 0, block 1, op 2 \(copy\) reads/,
    ],
    [
      'within one operation',
      alone({ chunks: [3, 3, 0] }, [move('copy', 'i0:2 > i1:2')]),
      /reads gpu 0 input\[1\] for one place/,
    ],
    [
      'a put that is not there when its program ends',
      pushed([], [signal(0), wait(0)], [nop, signal(0), wait(0)]),
      /gpu 0, block 0, op 3 \(put\) writes gpu 1 output\[0\], and the program of gpu 1 may have ended/,
    ],
  ])('are found %s', (_, json, message) => {
    const found = said(json);
    expect(found.verdict).toBe('race');
    expect(found.message).toMatch(message);
  });

  it('not where a nop, a semaphore or a barrier orders', () => {
    const ordered = [
      alone({}, [move('copy', 'i0 > s0'), nop, move('copy', 's0 > o0')]),
      alone({}, [move('copy', 'i0 > s0'), nop, release(0)], [acquire(0), nop, move('copy', 's0 > o0')]),
      alone({}, [move('copy', 'i0 > s0'), barrier(0, 2)], [barrier(0, 2), move('copy', 's0 > o0')]),
    ];
    for (const json of ordered) expect(judge(json).verdict).toBe('correct');
  });

  it('relaxed signals order no memory', () => {
    const read = (after: OpJson[]): OpJson[] => [...after, nop, move('rre', 'i0 r0.0 > i0')];
    const json = (way: (op: OpJson) => OpJson): PlanJson =>
      plan('custom', false, [
        gpu({ chunks: [1, 1, 1], memory: [1], remote: [[1, 's']] }, [...read([way(wait(0))]), nop, signal(0)]),
        gpu({ chunks: [1, 1, 1], memory: [0] }, [move('copy', 'i0 > s0'), nop, way(signal(0)), wait(0)]),
      ]);
    expect(judge(json((op) => op)).verdict).toBe('correct');
    expect(said(json(relaxed)).message).toMatch(/that order memory in place of relaxed ones/);
  });

  it('shares of a group against whole chunks: each block tells of its own share only', () => {
    // The pattern of a published file: copied in shares of two chunks, read in shares of one.
    const copying = (own: number): OpJson[] => [
      share(move('copy', 'i0:2 > s0:2'), own, 2),
      nop,
      signal(own),
      wait(own),
    ];
    const reading = (own: number): OpJson[] => [
      wait(own),
      nop,
      share(move('get', 'r0.0 > s0'), own, 2),
      nop,
      signal(own),
    ];
    const parts = { chunks: [2, 2, 2] } as const;
    const json = plan('custom', false, [
      gpu({ ...parts, memory: [1, 1], remote: [[1, 's']] }, reading(0), reading(1)),
      gpu({ ...parts, memory: [0, 0] }, copying(0), copying(1)),
    ]);
    expect(said(json)).toMatchObject({ verdict: 'race' });
    expect(said(json).message).toMatch(
      /gpu 0, block 1, op 2 \(get\) reads gpu 1 scratch\[0\], which gpu 1, block 0, op 0 \(copy\) writes/,
    );
  });

  it('a source of a port channel is in use until a flush', () => {
    const json = (flush: OpJson[]): PlanJson =>
      plan('custom', false, [
        gpu({ chunks: [1, 1, 1], port: [1], remote: [[1, 'o']] }, [
          ...[move('pws', 's0 > r0.0', 'port', [0]), ...flush, nop, move('copy', 'i0 > s0')],
        ]),
        gpu({ chunks: [1, 1, 1], port: [0] }, [overPort(wait(0))]),
      ]);
    json([]).gpus[0].threadblocks[0].ops.unshift(nop);
    const [racing, flushed] = [json([]), json([{ name: 'flush', channel_ids: [0], channel_type: 'port' }])];
    for (const one of [racing, flushed]) one.gpus[0].threadblocks[0].ops.unshift(move('copy', 'i0 > s0'), nop);
    expect(said(racing).message).toMatch(/Missing: a flush/);
    expect(judge(flushed).verdict).toBe('correct');
  });

  it('pipelines that come back to scratch in use', () => {
    const loop = (ops: OpJson[]): OpJson => ({
      name: 'pipeline',
      iter_context: { unit_size: 2 ** 23, num_chunks: 1 },
      ops,
    });
    const json = (initial: number, back: OpJson[], taken: OpJson[]): PlanJson =>
      plan(
        'test',
        false,
        [
          gpu(
            { chunks: [1, 1, 1], semaphores: [0, initial] },
            [loop([...taken, move('copy', 'i0 > s0'), nop, release(0)])],
            [loop([acquire(0), nop, move('copy', 's0 > o0'), nop, ...back])],
          ),
        ],
        { reuse_resources: true },
      );
    expect(said(json(0, [], [])).message).toMatch(/op 0\.0 \(copy\) in iteration 8 writes gpu 0 scratch\[0\]/);
    expect(judge(json(8, [release(1)], [acquire(1), nop])).verdict).toBe('correct');
    expect(judge(json(9, [release(1)], [acquire(1), nop])).verdict).toBe('race');
  });
});

describe('results', () => {
  it('what is not there, and what is there twice', () => {
    const lost = exchange();
    lost.gpus[0].threadblocks[0].ops = lost.gpus[0].threadblocks[0].ops.map((op) =>
      op.name === 'res' ? { ...op, name: 'res', src_buff: op.src_buff?.slice(0, 1) ?? [] } : op,
    );
    expect(said(lost).message).toBe(
      'At the end gpu 0 output[0] holds input[0] of gpu 0, and must hold input[0] of gpu 0 + input[0] of gpu 1.',
    );
    const twice = exchange();
    for (const op of twice.gpus[0].threadblocks[0].ops) {
      if (op.name === 'res') op.src_buff?.push({ type: 's', index: 0, size: 1 });
    }
    expect(said(twice).verdict).toBe('wrong-result');
  });

  it('what nobody has written', () => {
    expect(said(alone({}, [move('copy', 's1 > o0')])).message).toMatch(
      /reads gpu 0 scratch\[1\], which holds nothing yet/,
    );
  });

  it('the same bits on all gpus, or not', () => {
    const other = exchange();
    expect(judge(other).determinism).toEqual({ identical: true, differing: [] });
  });
});

describe('a right plan without one of its operations', () => {
  const wholes: [string, PlanJson][] = [
    ['puts', exchange()],
    ['packets', packetExchange()],
    ['port channels', portAllgather()],
    ['allgather', pushed([], [nop, signal(0), wait(0)], [nop, signal(0), wait(0)])],
  ];
  it.each(wholes)('%s: any signal, wait, put, copy or reduction', (_, whole) => {
    for (const [g, { threadblocks }] of whole.gpus.entries()) {
      for (const [b, { ops }] of threadblocks.entries()) {
        for (const [lost, op] of ops.entries()) {
          if (op.name === 'nop') continue;
          const json = structuredClone(whole);
          json.gpus[g].threadblocks[b].ops.splice(lost, 1);
          expect(judge(json).verdict, `gpu ${g}, block ${b}, op ${lost} (${op.name})`).not.toBe('correct');
        }
      }
    }
  });
});

describe('calls that follow each other', () => {
  it('warns where packets of the next may come too early', () => {
    // One way only: who sends learns nothing of who reads.
    const json = (use_double_scratch_buffer: boolean): PlanJson =>
      plan(
        'custom',
        false,
        [
          gpu({ chunks: [1, 1, 1], memory: [1], remote: [[1, 's']] }, [move('ppkt', 'i0 > r0.0')]),
          gpu({ chunks: [1, 1, 1], memory: [0] }, [move('upkt', 's0 > o0')]),
        ],
        { protocol: 'LL', use_double_scratch_buffer },
      );
    for (const double of [false, true]) {
      const { verdict, findings } = judge(json(double));
      expect(verdict).toBe('correct');
      expect(findings.map(({ message }) => message).join()).toContain('before gpu 1 has read what this one brought');
    }
    expect(judge(packetExchange()).findings).toEqual([]);
  });

  it('warns where a gpu writes to one that may not have begun', () => {
    const json = pushed([], [nop, signal(0), wait(0)], [nop, signal(0), wait(0)]);
    for (const { threadblocks } of json.gpus) threadblocks[0].ops.splice(0, 3);
    const { verdict, findings } = judge(json);
    expect(verdict).toBe('correct');
    expect(findings.map(({ message }) => message).join()).toMatch(/without knowing that gpu 0 has begun/);
  });
});
