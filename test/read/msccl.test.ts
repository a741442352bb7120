/** MSCCL XML: what each kind of step means, what waits for what, and every mistake with its exact place. */
import { describe, expect, it } from 'vitest';
import { CccError, positionOf } from '../../src/ir/diagnostic.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { operationAt, operationCount } from '../../src/ir/plan.ts';
import { verifyMsccl } from '../../src/jobs/verify-msccl.ts';
import { readMsccl } from '../../src/read/msccl/index.ts';
import { algo, exchange, gpu, type StepText, step, tb } from './msccl-text.ts';

const source = (text: string) => ({ name: 'algorithm.xml', text });

function verdictOf(text: string, inflight?: number): string {
  return verifyMsccl(source(text), { inflight }).verification.verdict;
}

/** Operations of a rank's first lane as `kind buffer[first] …`. */
function operationsOf(text: string, rank: number): string[] {
  const { plan } = readMsccl(source(text));
  const lane = plan.firstLane[rank];
  const texts: string[] = [];
  for (let o = plan.firstOp[lane]; o < plan.firstOp[lane + 1]; o++) {
    const operation = operationAt(plan, o);
    const slices = [...('src' in operation ? [operation.src] : []), ...('dst' in operation ? [operation.dst] : [])];
    texts.push([operation.op, ...slices.map(({ buffer, offset }) => `${buffer}[${offset}]`)].join(' '));
  }
  return texts;
}

describe('what steps mean', () => {
  it('rrcs: adds, writes and forwards', () => {
    expect(operationsOf(exchange, 1)).toEqual(['recvReduce input[0]', 'send input[0]']);
    expect(verdictOf(exchange)).toBe('correct');
  });

  it('rrs: adds and forwards, but writes nothing', () => {
    const withLast = (last: readonly StepText[]): string =>
      algo(
        'allreduce',
        { inPlace: true },
        gpu(0, [1, 0, 0], tb(0, 1, 1, 0, step('s'), step('r', { dst: 'i0' }), ...last.map(() => step('s')))),
        gpu(1, [1, 0, 0], tb(0, 0, 0, 0, step('rrs'), ...last)),
      );
    expect(operationsOf(withLast([]), 1)).toEqual(['recv scratch[0]', 'reduce input[0] scratch[0]', 'send scratch[0]']);
    expect(verdictOf(withLast([step('r', { dst: 'i0' })]))).toBe('correct');
    expect(verdictOf(withLast([]))).toBe('wrong-result');
  });

  it('rrc: adds the local source, wherever the sum goes', () => {
    const reduce = (src: 'i0' | 's0'): string =>
      algo(
        'reduce',
        {},
        gpu(0, [1, 1, 1], tb(0, -1, 1, 0, step('rrc', { src, dst: 'o0' }))),
        gpu(1, [1, 0, 0], tb(0, 0, -1, 0, step('s'))),
      );
    expect(operationsOf(reduce('i0'), 0)).toEqual([
      'recv scratch[1]',
      'reduce input[0] scratch[1]',
      'copy scratch[1] output[0]',
    ]);
    expect(verdictOf(reduce('i0'))).toBe('correct');
    // Scratch that nothing has written may hold anything.
    expect(verdictOf(reduce('s0'))).toBe('wrong-result');
  });

  it('rcs: writes and forwards', () => {
    const chain = algo(
      'broadcast',
      {},
      gpu(0, [1, 1, 0], tb(0, 1, -1, 0, step('s')), tb(1, -1, -1, 0, step('cpy'))),
      gpu(1, [0, 1, 0], tb(0, 2, 0, 0, step('rcs'))),
      gpu(2, [0, 1, 0], tb(0, -1, 1, 0, step('r'))),
    );
    expect(operationsOf(chain, 1)).toEqual(['recv output[0]', 'send output[0]']);
    expect(verdictOf(chain)).toBe('correct');
  });

  it('re: adds its source to its destination', () => {
    const mirrored = [0, 1].map((rank) =>
      gpu(
        rank,
        [1, 0, 1],
        tb(0, 1 - rank, -1, 0, step('s', { publishes: true })),
        tb(1, -1, 1 - rank, 0, step('r', { dst: 's0' }), step('re', { src: 's0', dst: 'i0', wait: [0, 0] })),
      ),
    );
    expect(verdictOf(algo('allreduce', { inPlace: true }, ...mirrored))).toBe('correct');
  });

  it('cpy between two names of one place loads and stores it', () => {
    const gathering = (inPlace: boolean): string =>
      algo(
        'allgather',
        { chunks: 2, inPlace },
        ...[0, 1].map((rank) => {
          const own = step('cpy', { dst: `o${rank}` });
          return gpu(rank, [1, 2, 0], tb(0, 1 - rank, 1 - rank, 0, own, step('s'), step('r', { dst: `o${1 - rank}` })));
        }),
      );
    const [loads, stores] = ['copy input[0] scratch[0]', 'copy scratch[0] output[0]'];
    expect(operationsOf(gathering(true), 0)).toEqual([loads, stores, 'send input[0]', 'recv output[1]']);
    expect(operationsOf(gathering(false), 0)).toEqual(['copy input[0] output[0]', 'send input[0]', 'recv output[1]']);
    expect([verdictOf(gathering(true)), verdictOf(gathering(false))]).toEqual(['correct', 'correct']);
  });

  it('cpy and re of what another thread block receives race, also where both names are one place', () => {
    // What arrives between loading and storing is lost.
    const receiving = (type: 'cpy' | 're', wait?: readonly [number, number]): string =>
      algo(
        'broadcast',
        { inPlace: true },
        gpu(0, [1, 1, 0], tb(0, 1, -1, 0, step('s'))),
        gpu(
          1,
          [0, 1, 0],
          tb(0, -1, 0, 0, step('r', { publishes: true })),
          tb(1, -1, -1, 0, step(type, { src: 'o0', wait })),
        ),
      );
    for (const type of ['cpy', 're'] as const) expect([type, verdictOf(receiving(type))]).toEqual([type, 'race']);
    expect(verdictOf(receiving('cpy', [0, 0]))).toBe('correct');
  });

  it('re of a place to itself adds what is there once more', () => {
    const twice = (op: 'sum' | 'max') => {
      const text = algo('reduce', { inPlace: true }, gpu(0, [1, 1, 0], tb(0, -1, -1, 0, step('re'))));
      return verifyMsccl(source(text), { op }).verification.verdict;
    };
    expect([twice('sum'), twice('max')]).toEqual(['wrong-result', 'correct']);
  });

  it('every operation knows its step', () => {
    const { plan } = readMsccl(source(exchange));
    const places = Array.from({ length: operationCount(plan) }, (_, o) => {
      const origin = operationAt(plan, o).origin;
      if (origin === undefined) throw new Error('no origin');
      expect(origin.source.text.slice(origin.start, origin.end)).toMatch(/^<step .*\/>$/);
      return positionOf(origin.source, origin.start).line;
    });
    expect(places).toEqual([4, 5, 10, 10]);
  });
});

describe('collectives', () => {
  /** Every rank sends its part for every other rank; what is its own it copies. */
  const direct = (collective: string, chunks: number, part: (from: number, to: number) => [number, number]): string => {
    const gpus = [0, 1, 2].map((rank) => {
      const own = part(rank, rank);
      const blocks = [0, 1, 2].map((peer) => {
        if (peer === rank) return tb(peer, -1, -1, 0, step('cpy', { src: `i${own[0]}`, dst: `o${own[1]}` }));
        const sent = step('s', { src: `i${part(rank, peer)[0]}` });
        return tb(peer, peer, peer, 0, sent, step('r', { dst: `o${part(peer, rank)[1]}` }));
      });
      return gpu(rank, [0, 0, 0], ...blocks);
    });
    return algo(collective, { chunks }, ...gpus);
  };

  it('nchunksperloop divides all shards of allgather and alltoall', () => {
    const gathered = readMsccl(source(direct('allgather', 3, (from) => [0, from])));
    expect(gathered.plan.collective).toMatchObject({ kind: 'allgather', ranks: 3, chunks: 1 });
    expect(verdictOf(direct('allgather', 3, (from) => [0, from]))).toBe('correct');
    expect(verdictOf(direct('alltoall', 3, (from, to) => [to, from]))).toBe('correct');
  });

  it.each(['reducescatter', 'reduce_scatter'])('may be spelt %s', (spelling) => {
    const scattered = algo(
      spelling,
      { chunks: 2, inPlace: true },
      gpu(0, [2, 0, 0], tb(0, 1, 1, 0, step('s', { src: 'i1' }), step('rrc', { src: 'i0', dst: 'i0' }))),
      gpu(1, [2, 0, 0], tb(0, 0, 0, 0, step('s', { src: 'i0' }), step('rrc', { src: 'i1', dst: 'i1' }))),
    );
    expect(readMsccl(source(scattered)).plan.collective).toMatchObject({ kind: 'reducescatter', chunks: 1 });
    expect(verdictOf(scattered)).toBe('correct');
  });

  it('nchunksperloop divides one shard of gather and scatter; the root is the caller’s', () => {
    const gathered = algo(
      'gather',
      { chunks: 1 },
      gpu(0, [1, 0, 0], tb(0, 1, -1, 0, step('s'))),
      gpu(1, [1, 2, 0], tb(0, -1, 0, 0, step('r')), tb(1, -1, -1, 0, step('cpy', { dst: 'o1' }))),
    );
    expect(verifyMsccl(source(gathered), { root: 1 }).verification.verdict).toBe('correct');
    expect(verdictOf(gathered)).toBe('malformed');
    const scattered = algo(
      'scatter',
      { chunks: 1 },
      gpu(0, [2, 1, 0], tb(0, 1, -1, 0, step('s', { src: 'i1' })), tb(1, -1, -1, 0, step('cpy'))),
      gpu(1, [0, 1, 0], tb(0, -1, 0, 0, step('r'))),
    );
    expect(verdictOf(scattered)).toBe('correct');
    expect(readMsccl(source(scattered)).notes.join()).toContain('rank 0');
  });

  it.each(['alltoallv', 'send', 'recv', 'custom'])('%s has no post-condition in the file', (collective) => {
    expect(failure(exchange.replace('"allreduce"', `"${collective}"`))).toMatchObject({
      code: 'unsupported',
      at: collective,
    });
  });
});

describe('waiting', () => {
  /** Rank 0 passes what it received into its output on to rank 2, in another thread block. */
  const passing = (receiver: readonly StepText[], sender: readonly StepText[], third = ''): string =>
    algo(
      'broadcast',
      {},
      gpu(0, [1, 1, 0], tb(0, 1, -1, 0, step('s')), tb(1, -1, -1, 0, step('cpy'))),
      gpu(1, [0, 1, 0], tb(0, -1, 0, 0, ...receiver), tb(1, 2, -1, 0, ...sender), third),
      gpu(2, [0, 1, 0], tb(0, -1, 1, 0, step('r'))),
    );
  const receive = step('r');
  const published = step('r', { publishes: true });
  const send = (wait?: readonly [number, number]): StepText => step('s', { src: 'o0', ...(wait && { wait }) });

  it('orders what it says', () => {
    expect(verdictOf(passing([published], [send([0, 0])]))).toBe('correct');
    expect(verdictOf(passing([published], [send()]))).toBe('race');
  });

  it('is over when a later step publishes', () => {
    expect(verdictOf(passing([receive, step('nop', { publishes: true })], [send([0, 0])]))).toBe('correct');
  });

  it('for a step that nobody is told of is a deadlock, with its line', () => {
    const { verification } = verifyMsccl(source(passing([receive], [send([0, 0])])), {});
    expect(verification.verdict).toBe('deadlock');
    const place = verification.findings[0].story[0].place;
    expect(place).toMatchObject({ rank: 1, lane: 1, index: 0 });
    expect(place.range?.source.text.slice(place.range.start, place.range.end)).toContain('depid="0"');
    // An earlier step that publishes does not help, nor does one beyond the end.
    expect(verdictOf(passing([published], [send([0, 1])]))).toBe('deadlock');
  });

  it('passes through nop', () => {
    expect(verdictOf(passing([published], [step('nop', { wait: [0, 0] }), send()]))).toBe('correct');
    const through = tb(2, -1, -1, 0, step('nop', { wait: [0, 0], publishes: true }));
    expect(verdictOf(passing([published], [send([2, 0])], through))).toBe('correct');
    const elsewhere = tb(2, -1, -1, 0, step('nop', { publishes: true }));
    expect(verdictOf(passing([published], [send([2, 0])], elsewhere))).toBe('race');
  });

  it('for itself is a deadlock', () => {
    const own = step('s', { src: 'o0', wait: [1, 0], publishes: true });
    expect(verdictOf(passing([published], [own]))).toBe('deadlock');
    const circle = [
      tb(2, -1, -1, 0, step('nop', { wait: [3, 0], publishes: true })),
      tb(3, -1, -1, 0, step('nop', { wait: [2, 0], publishes: true })),
    ];
    expect(verdictOf(passing([published], [send([0, 0])], circle.join('')))).toBe('deadlock');
    const through = tb(2, -1, -1, 0, step('nop', { wait: [1, 0], publishes: true }));
    const waiting = step('s', { src: 'o0', wait: [2, 0], publishes: true });
    expect(verdictOf(passing([published], [waiting], through))).toBe('deadlock');
  });

  it('for an earlier step of the own thread block is no wait', () => {
    const nop = step('nop', { wait: [0, 0], publishes: true });
    expect(verdictOf(passing([published], [nop, step('s', { src: 'o0', wait: [1, 0] })]))).toBe('correct');
  });

  it('does not excuse lower rungs', () => {
    expect(verdictOf(passing([receive], [send([0, 0]), send()]))).toBe('mismatched');
  });
});

describe('channels', () => {
  /** Ring allreduce on three ranks: each message waits in the fused step until it can be passed on. */
  const ring = (protocol: string): string => {
    const gpus = [0, 1, 2].map((rank) => {
      const chunk = (back: number): `i${number}` => `i${(rank + 6 - back) % 3}`;
      const steps = [
        step('s', { src: chunk(0) }),
        step('rrs', { src: chunk(1) }),
        step('rrcs', { src: chunk(2), dst: chunk(2) }),
        step('rcs', { dst: chunk(3) }),
        step('r', { dst: chunk(4) }),
      ];
      return gpu(rank, [3, 0, 0], tb(0, (rank + 1) % 3, (rank + 2) % 3, 0, ...steps));
    });
    return algo('allreduce', { chunks: 3, inPlace: true, protocol }, ...gpus);
  };

  it('a fused step takes nothing that it cannot pass on', () => {
    expect(verdictOf(ring('Simple'), 1)).toBe('deadlock');
    expect(verdictOf(ring('Simple'), 2)).toBe('correct');
    expect(verifyMsccl(source(ring('Simple')), {}).verification.smallestInflight).toBe(2);
  });

  it.each([
    ['Simple', 2],
    ['LL', 8],
    ['LL128', 8],
  ] as const)('%s buffers %i transfers', (protocol, depth) => {
    expect(verifyMsccl(source(ring(protocol)), {}).verification).toMatchObject({ verdict: 'correct', inflight: depth });
  });

  it('two thread blocks on one direction of a connection corrupt it', () => {
    const text = algo(
      'broadcast',
      {},
      gpu(0, [1, 1, 0], tb(0, 1, -1, 2, step('s')), tb(1, -1, -1, 0, step('cpy')), tb(2, 1, -1, 2)),
      gpu(1, [0, 1, 0], tb(0, -1, 0, 2, step('r'))),
    );
    const { verification } = verifyMsccl(source(text), {});
    expect(verification.verdict).toBe('malformed');
    const range = verification.findings[0].story[0].place.range;
    expect(range?.source.text.slice(range.start, range.end)).toBe('<tb id="2" send="1" recv="-1" chan="2">');
    expect(
      verdictOf(text.replace('<tb id="2" send="1" recv="-1" chan="2">', '<tb id="2" send="1" recv="-1" chan="3">')),
    ).toBe('correct');
  });
});

describe('memory', () => {
  it('writing past the end of scratch is malformed, reading there is not an error of its own', () => {
    const text = (src: 'i0' | 's1', dst: 'o0' | 's1'): string =>
      algo(
        'broadcast',
        {},
        gpu(0, [1, 1, 1], tb(0, 1, -1, 0, step('s')), tb(1, -1, -1, 0, step('cpy'), step('cpy', { src, dst }))),
        gpu(1, [0, 1, 0], tb(0, -1, 0, 0, step('r'))),
      );
    expect(verdictOf(text('i0', 's1'))).toBe('malformed');
    expect(verdictOf(text('s1', 'o0'))).toBe('wrong-result');
    expect(readMsccl(source(text('s1', 'o0'))).notes.join()).toContain('scratch[1]');
    expect(verdictOf(text('i0', 'o0'))).toBe('correct');
  });

  it('what nothing has written may be read as long as no result holds it', () => {
    const text = (dst: 'o0' | 's1'): string =>
      algo('allreduce', {}, gpu(0, [1, 1, 2], tb(0, -1, -1, 0, step('cpy'), step('cpy', { src: 's0', dst }))));
    const { verification } = verifyMsccl(source(text('s1')), {});
    expect(verification.verdict).toBe('correct');
    expect(verification.findings).toMatchObject([{ severity: 'warning', code: 'uninitialised' }]);
    expect(verdictOf(text('o0'))).toBe('wrong-result');
  });

  it('what nothing has written is told as such where it gets into a sum', () => {
    const text = algo(
      'allreduce',
      { inPlace: true },
      gpu(0, [1, 0, 1], tb(0, -1, -1, 0, step('re', { src: 's0', dst: 'i0' }))),
    );
    const { findings } = verifyMsccl(source(text), {}).verification;
    const error = findings.find(({ severity }) => severity === 'error');
    expect(error?.message).toContain('holds in[0][0] ⊕ whatever lay there');
  });
});

describe('unusual files', () => {
  it('may lack what runtimes demand, with a note', () => {
    const bare = exchange.replace(/ outofplace="0" minBytes="0" maxBytes="0"/, '');
    expect(verdictOf(bare)).toBe('correct');
    expect(readMsccl(source(bare)).notes).toEqual([
      'the file lacks outofplace, minBytes, maxBytes: runtimes refuse it',
    ]);
    expect(readMsccl(source(exchange)).notes).toEqual([]);
  });

  it('say for which sizes they are; 0 is no limit', () => {
    const limited = exchange.replace('minBytes="0" maxBytes="0"', 'minBytes="1024" maxBytes="65536"');
    expect(readMsccl(source(limited)).messages).toEqual({ least: 1024, most: 65_536 });
    expect(readMsccl(source(exchange)).messages).toEqual({ least: 0, most: Number.POSITIVE_INFINITY });
  });

  it('are out of place unless they say otherwise', () => {
    const silent = readMsccl(source(exchange.replace(' inplace="1"', '')));
    expect(silent.plan.collective.inPlace).toBe(false);
    expect(silent.notes.join()).toContain('lacks inplace');
  });

  it('are told when they use more channels than they declare', () => {
    const text = exchange.replaceAll('chan="0"', 'chan="4"');
    expect(verdictOf(text)).toBe('correct');
    expect(readMsccl(source(text)).notes).toEqual(['nchannels="4", but there is a <tb> with chan="4"']);
  });

  it('may have comments, a declaration, attributes of their own, odd white space and a byte-order mark', () => {
    const odd = `\ufeff<?xml version="1.0"?>\n<!-- mine -->\n${exchange.replace('name="mine"', 'name=\'mine\'\n  maxcount = "1"')}`;
    expect(verdictOf(odd)).toBe('correct');
  });

  it('are told when they declare other buffers than the collective has', () => {
    expect(readMsccl(source(exchange.replace('i_chunks="1"', 'i_chunks="7"'))).notes.join()).toContain('i_chunks="7"');
  });
});

/** What reading a text fails with; `at` is what the error points at. */
function failure(text: string, limits = defaultLimits): { code: string; message: string; at: string; line: number } {
  try {
    readMsccl(source(text), { limits });
  } catch (error) {
    if (!(error instanceof CccError) || error.range === undefined) throw error;
    const { source: where, start, end } = error.range;
    return {
      code: error.code,
      message: error.message,
      at: where.text.slice(start, end),
      line: positionOf(where, start).line,
    };
  }
  throw new Error('expected an error');
}

/** What is wrong, the change that makes it so, where the error points, its line, and a word of its message. */
const mistakes: readonly [string, string, string, string, number, string][] = [
  ['a type nobody knows', 'type="rrcs"', 'type="rsc"', 'rsc', 10, 'did you mean'],
  ['a collective nobody knows', 'coll="allreduce"', 'coll="alreduce"', 'alreduce', 1, 'allreduce'],
  ['a protocol nobody knows', 'proto="Simple"', 'proto="simple"', 'simple', 1, 'Simple'],
  ['a buffer nobody knows', 'srcbuf="i"', 'srcbuf="x"', 'x', 4, 'a buffer'],
  ['a number that is none', 'srcoff="0"', 'srcoff="zero"', 'zero', 4, 'whole number'],
  ['a number beyond 32 bits', 'srcoff="0"', 'srcoff="4294967296"', '4294967296', 4, 'whole number'],
  ['a fraction', 'cnt="1"', 'cnt="1.5"', '1.5', 4, 'at least 1'],
  ['a message of nothing', 'cnt="1"', 'cnt="0"', '0', 4, 'at least 1'],
  ['a peer that does not exist', 'send="1"', 'send="2"', '2', 3, 'from -1 to 1'],
  ['a rank that sends to itself', 'send="1"', 'send="0"', '0', 3, 'itself'],
  ['a rank that receives from itself', 'recv="1"', 'recv="0"', '0', 3, 'itself'],
  ['sending without a peer', 'send="1"', 'send="-1"', 's', 4, 'send="-1"'],
  ['receiving without a peer', 'recv="1"', 'recv="-1"', 'r', 5, 'recv="-1"'],
  ['a channel below 0', 'chan="0"', 'chan="-1"', '-1', 3, 'at least 0'],
  ['a wait for a thread block that does not exist', 'depid="-1" deps="-1"', 'depid="3" deps="0"', '3', 4, 'no <tb>'],
  ['a wait for a step before the first', 'depid="-1"', 'depid="0"', '-1', 4, 'at least 0'],
  ['steps out of order', ' s="1"', ' s="2"', '2', 5, 'expected 1'],
  ['a missing gpu', 'ngpus="2"', 'ngpus="3"', '3', 1, 'id 2'],
  ['a gpu too many', 'ngpus="2"', 'ngpus="1"', '1', 3, 'from -1 to 0'],
  ['a gpu twice', 'gpu id="1"', 'gpu id="0"', '0', 8, 'already'],
  ['a use that is no flag', 'inplace="1"', 'inplace="yes"', 'yes', 1, 'from 0 to 1'],
  ['a size that is no size', 'maxBytes="0"', 'maxBytes="1MB"', '1MB', 1, 'bytes'],
];

describe('mistakes', () => {
  it.each(mistakes)('are refused with their place: %s', (_, right, wrong, at, line, word) => {
    expect(exchange).toContain(right);
    const found = failure(exchange.replace(right, wrong));
    expect(found).toMatchObject({ code: 'malformed', at, line });
    expect(found.message).toContain(word);
  });

  it('a thread block twice', () => {
    const text = algo('allreduce', { inPlace: true }, gpu(0, [1, 0, 0], tb(0, -1, -1, 0), tb(0, -1, -1, 0)));
    expect(failure(text)).toMatchObject({ code: 'malformed', at: '0', line: 5 });
  });

  it('shards that do not divide evenly', () => {
    const text = exchange.replace('"allreduce"', '"allgather"');
    expect(failure(text)).toMatchObject({ code: 'malformed', at: '1', line: 1 });
  });

  it.each(['name', 'coll', 'ngpus', 'nchunksperloop', 'i_chunks', 'recv', 'chan', 'type', 'srcoff', 'hasdep'])(
    'no %s',
    (attribute) => {
      const found = failure(exchange.replace(new RegExp(` ${attribute}="[^"]*"`), ''));
      expect(found).toMatchObject({ code: 'malformed', message: expect.stringContaining(`needs '${attribute}'`) });
      expect(found.at).toMatch(/^<\w+ .*>$/);
    },
  );

  it('elements that do not belong where they stand', () => {
    expect(failure('<system version="1"/>')).toMatchObject({
      code: 'malformed',
      message: expect.stringContaining('<algo>'),
    });
    expect(failure(exchange.replace('<tb ', '<step ').replace('</tb>', '</step>'))).toMatchObject({
      code: 'malformed',
      line: 3,
    });
    expect(failure(exchange.replace('<tb ', '<gpu ').replace('</tb>', '</gpu>'))).toMatchObject({
      code: 'malformed',
      line: 3,
    });
    expect(failure(exchange.replace('</tb>', 'words</tb>'))).toMatchObject({ code: 'malformed', line: 6 });
  });

  it('text that is not XML', () => {
    expect(failure('<algo name="x"')).toMatchObject({ code: 'syntax' });
    expect(failure(exchange.replace('</tb>\n', ''))).toMatchObject({ code: 'syntax', line: 6 });
    expect(failure(exchange.replace(' s="0"', ' s="0" s="0"'))).toMatchObject({ code: 'syntax', line: 4 });
    expect(failure(exchange.replace('"mine"', '"&mine;"'))).toMatchObject({ code: 'syntax', line: 1 });
    expect(failure('<')).toMatchObject({ code: 'syntax' });
    expect(failure(exchange.replace('mine', '\ud83d'))).toMatchObject({ code: 'syntax', line: 1 });
    expect(failure(`${exchange}\ud83d`)).toMatchObject({ code: 'syntax' });
    expect(failure(exchange.replace('mine', '&#x110000;'))).toMatchObject({ code: 'syntax', line: 1 });
    expect(failure(exchange.replace('mine', '&#xzz;'))).toMatchObject({ code: 'syntax', line: 1 });
    expect(failure('<!-- nothing -->')).toMatchObject({ code: 'syntax' });
  });

  it('more than the limits', () => {
    const limit = (name: string, value: number): string => failure(exchange, { ...defaultLimits, [name]: value }).code;
    expect(limit('operations', 2)).toBe('limit');
    expect(limit('ranks', 1)).toBe('limit');
    expect(
      failure(exchange.replace('srcoff="0"', 'srcoff="2000000000"').replace('srcbuf="i"', 'srcbuf="s"')).code,
    ).toBe('limit');
    expect(failure(exchange.replace('nchunksperloop="1"', 'nchunksperloop="2000000000"')).code).toBe('limit');
  });
});
