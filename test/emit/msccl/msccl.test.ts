/** MSCCL XML: the importer, which shares nothing with the emitter, reads what was written, and the verifier proves it. */
import { describe, expect, it } from 'vitest';
import { mscclXml, mscclXmlRccl } from '../../../src/emit/msccl/index.ts';
import { type Plan, PlanBuilder } from '../../../src/ir/plan.ts';
import { lower } from '../../../src/lower/index.ts';
import { listShipped, loadScheduleFile } from '../../../src/read/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { copy, piece, reduce, schedule } from '../../lower/building.ts';
import { claims, planOf } from '../../seeds/library.ts';
import { bundleOf, profiles, readBack, stepTypes, xmlOf } from './plans.ts';

const formatHas = new Set(['allgather', 'allreduce', 'alltoall', 'broadcast', 'reduce', 'reducescatter']);
const shipped = listShipped('schedules').filter((name) => formatHas.has(loadScheduleFile(name).collective));

function expectRoundTrip(plan: Plan, profile: (typeof profiles)[number], what: string): string {
  const text = xmlOf(plan, profile);
  const { document, verification } = readBack(text, plan.collective);
  if (verification.verdict !== 'correct') {
    expect.fail(`${what}: ${verification.verdict}: ${verification.findings[0]?.message}`);
  }
  expect(verification.inflight).toBe(2);
  expect(document.plan.collective).toEqual(plan.collective);
  expect(document.notes.filter((note) => !note.includes('root'))).toEqual([]);
  return text;
}

describe('every shipped schedule as MSCCL XML', () => {
  it.each(shipped)('%s is proved as it was written', (name) => {
    for (const ranks of [1, 2, 3, 4, 6, 7, 8, 16]) {
      for (const inPlace of ranks < 8 ? [false, true] : [ranks === 8]) {
        const root = claims(name, ranks, { inPlace, root: ranks - 1 }) ? ranks - 1 : 0;
        if (!claims(name, ranks, { inPlace, root })) continue;
        const plan = planOf(name, ranks, { inPlace, root });
        for (const profile of profiles) expectRoundTrip(plan, profile, `${profile.name}, N = ${ranks}`);
      }
    }
  });

  it('takes gather and scatter where the runtimes have them', () => {
    for (const name of ['ring-gather', 'ring-scatter']) {
      const plan = planOf(name, 5, { root: 3 });
      expectRoundTrip(plan, mscclXmlRccl, name);
      expect(mscclXml.check(bundleOf(plan)).join()).toContain(`not ${plan.collective.kind}`);
    }
  });
});

describe('fused steps', () => {
  // Rank r sends one chunk of its own, forwards N − 2 and keeps the last: one thread block.
  it('make one thread block of a ring', () => {
    const text = expectRoundTrip(planOf('ring-allgather', 6, { inPlace: true }), mscclXml, 'ring');
    expect(stepTypes(text)).toEqual({ s: 6, rcs: 6 * 4, r: 6 });
    expect(text.match(/<tb /g)).toHaveLength(6);
  });

  // Partial sums of a ring allreduce are overwritten by what comes back: N − 2 rrs; the full sum is kept (rrcs).
  it('write nothing that is never read', () => {
    const text = expectRoundTrip(planOf('ring-allreduce', 6, { inPlace: true }), mscclXml, 'ring');
    expect(stepTypes(text)).toEqual({ s: 6, rrs: 6 * 4, rrcs: 6, rcs: 6 * 4, r: 6 });
  });

  it('are not written for RCCL', () => {
    const text = expectRoundTrip(planOf('ring-allreduce', 6, { inPlace: true }), mscclXmlRccl, 'ring');
    expect(stepTypes(text)).toEqual({ s: 6 * 10, rrc: 6 * 5, r: 6 * 5 });
  });
});

/** A broadcast of `chunks` chunks in one message each, down a chain of three ranks; every connection end is a lane. */
function chain(
  chunks: number,
  change: (builder: PlanBuilder, handles: Readonly<Record<string, number[]>>) => void,
): Plan {
  const builder = new PlanBuilder();
  const lanes = [0, 1, 1, 2, 0].map((rank, id) => builder.openLane(rank, id));
  const at = (buffer: 'input' | 'output', offset: number) => ({ buffer, offset, count: 1 }) as const;
  const each = (add: (chunk: number) => number) => Array.from({ length: chunks }, (_, chunk) => add(chunk));
  const out = (lane: number, peer: number, buffer: 'input' | 'output') =>
    each((chunk) => builder.add(lanes[lane], { kind: 'send', peer, src: at(buffer, chunk), step: chunk }));
  const into = (lane: number, peer: number) =>
    each((chunk) => builder.add(lanes[lane], { kind: 'recv', peer, dst: at('output', chunk), step: chunk }));
  out(0, 1, 'input');
  const arriving = into(1, 0);
  const leaving = out(2, 2, 'output');
  leaving.forEach((send, chunk) => {
    builder.wait(send, arriving[chunk]);
  });
  const last = into(3, 1);
  const whole = { offset: 0, count: chunks };
  const [src, dst] = [{ buffer: 'input', ...whole } as const, { buffer: 'output', ...whole } as const];
  builder.add(lanes[4], { kind: 'copy', src, dst, step: 0 });
  change(builder, { arriving, leaving, last });
  return builder.build({
    name: 'chain',
    collective: collectiveOf('broadcast', 3, { chunks }),
    bulks: 1,
    scratchPerBulk: 1,
    buffers: [0, 1, 2].map((rank) => ({ input: rank === 0 ? chunks : 0, output: chunks, scratch: 1 })),
    rounds: [],
  });
}

describe('fusing', () => {
  it('is done where nothing speaks against it', () => {
    expect(
      stepTypes(
        expectRoundTrip(
          chain(6, () => {}),
          mscclXml,
          'chain',
        ),
      ),
    ).toEqual({ cpy: 1, s: 6, rcs: 6, r: 6 });
  });

  it('is given up where a send waits for somebody who waits for what it passes on', () => {
    const plan = chain(1, (builder, { arriving, leaving }) => {
      const lane = builder.openLane(1, 9);
      const [src, dst] = [
        { buffer: 'output', offset: 0, count: 1 } as const,
        { buffer: 'scratch', offset: 0, count: 1 } as const,
      ];
      const between = builder.add(lane, { kind: 'copy', src, dst, step: 1 });
      builder.wait(between, arriving[0]);
      builder.wait(leaving[0], between);
    });
    expect(stepTypes(expectRoundTrip(plan, mscclXml, 'circle'))).toEqual({ cpy: 2, s: 2, r: 2 });
  });

  // The last rank takes nothing before it is told that rank 1 has received all: without room to pass on, rank 1 never does.
  it('is given up where it would deadlock', () => {
    const plan = chain(6, (builder, { arriving, last }) => {
      const signal = { buffer: 'output', offset: 5, count: 1 } as const;
      const told = builder.add(builder.openLane(1, 8), { kind: 'send', peer: 2, channel: 1, src: signal, step: 6 });
      builder.wait(told, arriving[5]);
      const heard = builder.add(builder.openLane(2, 8), { kind: 'recv', peer: 1, channel: 1, dst: signal, step: 6 });
      builder.wait(last[0], heard);
    });
    expect(stepTypes(expectRoundTrip(plan, mscclXml, 'signal'))).toEqual({ cpy: 1, s: 13, r: 13 });
  });
});

describe('the form of MSCCL XML', () => {
  const exchange = schedule(collectiveOf('allgather', 2, { inPlace: true }), [
    [copy(0, 1, piece('data 0')), copy(1, 0, piece('data 1'))],
  ]);
  const gather = lower(exchange);

  it('is what the runtimes read', () => {
    const [first, second] = ['<tb id="0" send="1" recv="-1" chan="0">', '<tb id="1" send="-1" recv="1" chan="0">'];
    const rest = 'cnt="1" depid="-1" deps="-1" hasdep="0"/>';
    expect(xmlOf({ ...gather, name: 'swap <"all">\t& more' }, mscclXml)).toBe(
      [
        '<algo name="swap_all_more" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="1" outofplace="0" minBytes="0" maxBytes="0">',
        '  <gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">',
        `    ${first}`,
        `      <step s="0" type="s" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" ${rest}`,
        '    </tb>',
        `    ${second}`,
        `      <step s="0" type="r" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" ${rest}`,
        '    </tb>',
        '  </gpu>',
        '  <gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0">',
        `    ${first.replace('send="1"', 'send="0"')}`,
        `      <step s="0" type="s" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" ${rest}`,
        '    </tb>',
        `    ${second.replace('recv="1"', 'recv="0"')}`,
        `      <step s="0" type="r" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" ${rest}`,
        '    </tb>',
        '  </gpu>',
        '</algo>',
        '',
      ].join('\n'),
    );
  });

  it('spells reducescatter as each family of runtimes does', () => {
    const plan = planOf('ring-reducescatter', 3);
    expect(xmlOf(plan, mscclXml)).toContain('coll="reduce_scatter"');
    expect(xmlOf(plan, mscclXmlRccl)).toContain('coll="reducescatter"');
  });

  it('counts in the largest chunks that do', () => {
    const text = xmlOf(planOf('ring-allgather', 3, { chunks: 150 }), mscclXml);
    expect(text).toBe(xmlOf(planOf('ring-allgather', 3), mscclXml));
    expect(text).toContain('nchunksperloop="3"');
  });

  // 100 chunks at once one way, one by one the other: 100 is split into halves.
  it('has steps of at most 71 chunks', () => {
    const target = collectiveOf('allgather', 2, { chunks: 100, inPlace: true });
    const back = Array.from({ length: 100 }, (_, chunk) => copy(1, 0, piece(`data ${100 + chunk}`)));
    const plan = lower(schedule(target, [[copy(0, 1, piece('data 0 100'))], ...back.map((one) => [one])]));
    const text = expectRoundTrip(plan, mscclXml, 'two ways');
    expect(stepTypes(text)).toEqual({ s: 2 + 100, r: 2 + 100 });
    expect(text.match(/cnt="50"/g)).toHaveLength(4);
  });

  // Rank 0 adds up what ranks 1, 2 and 3 have brought into scratch, all in one local step behind three receives.
  it('waits for several steps with nop', () => {
    const into = [1, 2, 3].map((rank) => copy(rank, 0, piece(`data 0`, `scratch ${rank - 1}`)));
    const added = [1, 2, 3].map((rank) => copy(0, 0, piece(`scratch ${rank - 1}`, `scratch ${rank + 2}`)));
    const sums = [1, 2, 3].map((rank) => reduce(0, 0, piece(`scratch ${rank + 2}`, 'data 0')));
    const steps = [into, added, ...sums.map((one) => [one])];
    const plan = lower(schedule(collectiveOf('reduce', 4), steps, { scratch: 6 }));
    expectRoundTrip(plan, mscclXmlRccl, 'sums');
    const waiting = waitForAll();
    const text = expectRoundTrip(waiting, mscclXmlRccl, 'waits');
    expect(stepTypes(text)).toMatchObject({ nop: 2 });
    expect(text).toMatch(
      /type="nop" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="0" depid="\d" deps="0" hasdep="0"/,
    );
    expect(text.match(/hasdep="1"/g)).toHaveLength(3);
  });

  it('gives every end of a connection a thread block of its own where a lane has several', () => {
    const builder = new PlanBuilder();
    const lanes = [0, 1, 2].map((rank) => builder.openLane(rank, 0));
    const own = (rank: number) => ({ buffer: 'output', offset: rank, count: 1 }) as const;
    for (const distance of [1, 2]) {
      for (const rank of [0, 1, 2]) {
        const [to, from] = [(rank + distance) % 3, (rank + 3 - distance) % 3];
        builder.add(lanes[rank], { kind: 'send', peer: to, channel: 40, src: own(rank), step: distance });
        builder.add(lanes[rank], { kind: 'recv', peer: from, channel: 40, dst: own(from), step: distance });
      }
    }
    const plan = builder.build({
      name: 'one lane',
      collective: collectiveOf('allgather', 3, { inPlace: true }),
      bulks: 1,
      scratchPerBulk: 1,
      buffers: [0, 1, 2].map(() => ({ input: 1, output: 3, scratch: 0 })),
      rounds: [],
    });
    for (const profile of profiles) {
      const text = expectRoundTrip(plan, profile, 'one lane');
      expect(text.match(/<tb /g)).toHaveLength(3 * 4);
      expect(text).not.toMatch(/chan="[^0]"/);
    }
  });

  // 39 peers: too many for one channel, and 78 connection ends are too many for RCCL unless they are paired.
  it('shares many peers out over channels', () => {
    const text = expectRoundTrip(planOf('full-mesh-alltoall', 40), mscclXmlRccl, 'alltoall');
    expect(text).toContain('nchannels="2"');
    expect(text.match(/<tb /g)).toHaveLength(40 * (39 + 1));
    expect(text.match(/<tb [^>]*chan="0"/g)).toHaveLength(40 * (32 + 1));
  });

  // Rank 0 copies its 100 chunks one by one, in reverse.
  it('deals local operations out where there are more than fit a thread block', () => {
    const builder = new PlanBuilder();
    const lane = builder.openLane(0, 0);
    for (let chunk = 99; chunk >= 0; chunk--) {
      const [src, dst] = [
        { buffer: 'input', offset: chunk, count: 1 } as const,
        { buffer: 'output', offset: chunk, count: 1 } as const,
      ];
      builder.add(lane, { kind: 'copy', src, dst, step: 0 });
    }
    const plan = builder.build({
      name: 'one by one',
      collective: collectiveOf('allreduce', 1, { chunks: 100 }),
      bulks: 1,
      scratchPerBulk: 1,
      buffers: [{ input: 100, output: 100, scratch: 0 }],
      rounds: [],
    });
    const text = expectRoundTrip(plan, mscclXmlRccl, 'one by one');
    expect([...text.matchAll(/<step s="(\d+)"/g)].map(([, step]) => Number(step)).filter((step) => step > 63)).toEqual(
      [],
    );
    expect(stepTypes(text)).toEqual({ cpy: 100 });
  });

  it('leaves slicing the message to the runtime, which does it by itself', () => {
    const sliced = lower(exchange, { bulks: 8 });
    expect(xmlOf(sliced, mscclXml)).toBe(xmlOf(gather, mscclXml));
  });
});

/** Rank 0 copies what three receives have brought, in one operation. */
function waitForAll(): Plan {
  const builder = new PlanBuilder();
  const together = builder.openLane(0, 0);
  const slots = { buffer: 'scratch', offset: 0, count: 4 } as const;
  const own = { buffer: 'input', offset: 0, count: 1 } as const;
  builder.add(together, { kind: 'copy', src: own, dst: { ...slots, count: 1 }, step: 0 });
  const all = builder.add(together, { kind: 'copy', src: slots, dst: { ...slots, buffer: 'output' }, step: 2 });
  for (const rank of [1, 2, 3]) {
    builder.add(builder.openLane(rank, 0), { kind: 'send', peer: 0, src: own, step: 1 });
    const slot = { buffer: 'scratch', offset: rank, count: 1 } as const;
    const receive = builder.add(builder.openLane(0, rank), { kind: 'recv', peer: rank, dst: slot, step: 1 });
    builder.wait(all, receive);
  }
  return builder.build({
    name: 'wait for all',
    collective: collectiveOf('gather', 4),
    bulks: 1,
    scratchPerBulk: 1,
    buffers: [0, 1, 2, 3].map((rank) => ({ input: 1, output: rank === 0 ? 4 : 0, scratch: rank === 0 ? 4 : 0 })),
    rounds: [],
  });
}

describe('what MSCCL XML refuses', () => {
  const lacking = (plan: Plan, profile: (typeof profiles)[number], inflight?: number) =>
    profile.check(bundleOf(plan, inflight)).join('; ');

  it.each([
    ['not scan', planOf('chain-scan', 3)],
    ['not xor', planOf('ring-allreduce', 3, { op: 'xor' })],
    ['no order of operands', planOf('in-order-chain-reduce', 3, { ordered: true })],
  ])('takes %s', (words, plan) => {
    for (const profile of profiles) expect(lacking(plan, profile)).toContain(words);
  });

  it('more steps or thread blocks than runtimes have', () => {
    // A chain sends its segments one by one; an alltoall has 2 (N − 1) connection ends, or N − 1 in pairs.
    const segments = (count: number) => planOf('pipelined-chain-broadcast', 2, { chunks: count });
    expect(lacking(segments(64), mscclXmlRccl)).toBe('');
    expect(lacking(segments(65), mscclXmlRccl)).toContain('65 steps of a thread block');
    expect(lacking(segments(256), mscclXml)).toBe('');
    expect(lacking(segments(257), mscclXml)).toContain('257 steps of a thread block');
    expect(lacking(planOf('full-mesh-alltoall', 66, { inPlace: true }), mscclXmlRccl)).toContain(
      'thread blocks of a rank',
    );
  });

  it('plans that are proved for shallower channels only', () => {
    expect(lacking(planOf('ring-allgather', 4), mscclXml, 1)).toContain('proved for 1');
    expect(lacking(planOf('ring-allgather', 4), mscclXml, 2)).toBe('');
  });
});
