/** Traces are read as a viewer would: as JSON, with events that do not overlap in a thread and say what the simulator says. */
import { describe, expect, it } from 'vitest';
import type { PlanBundle } from '../../src/emit/index.ts';
import { traceText } from '../../src/emit/index.ts';
import { trace } from '../../src/emit/trace.ts';
import type { Plan } from '../../src/ir/plan.ts';
import { Routes } from '../../src/ir/routes.ts';
import { linkName, type Topology } from '../../src/ir/topology.ts';
import { withTimeline } from '../../src/jobs/timed.ts';
import { lower } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { full, line, ring, star } from '../model/machines.ts';
import { planOf, scheduleOf } from '../seeds/library.ts';
import { bundleOf } from './msccl/plans.ts';

interface Complete {
  readonly ph: 'X';
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
  readonly args: Readonly<Record<string, number>>;
}

interface Metadata {
  readonly ph: 'M';
  readonly name: 'process_name' | 'process_sort_index' | 'thread_name' | 'thread_sort_index';
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name?: string; readonly sort_index?: number };
}

/** Events of one thread, with its names. */
interface Thread {
  readonly process: string;
  readonly thread: string;
  readonly events: readonly Complete[];
}

/** What a viewer makes of the text: threads with names, events in order of time; fails where events overlap. */
function view(text: string): readonly Thread[] {
  const events: readonly (Complete | Metadata)[] = JSON.parse(text);
  const names = new Map<string, string>();
  for (const event of events) {
    if (event.ph !== 'M' || !event.name.endsWith('_name')) continue;
    const key = event.name === 'process_name' ? `${event.pid}` : `${event.pid} ${event.tid}`;
    expect(names.has(key)).toBe(false);
    names.set(key, event.args.name ?? '');
  }
  const threads = new Map<string, Complete[]>();
  for (const event of events) {
    if (event.ph !== 'X') continue;
    expect(event.dur).toBeGreaterThanOrEqual(0);
    expect(event.ts).toBeGreaterThanOrEqual(0);
    const key = `${event.pid} ${event.tid}`;
    threads.set(key, [...(threads.get(key) ?? []), event]);
  }
  return [...threads].map(([key, own]) => {
    own.sort((a, b) => a.ts - b.ts || a.dur - b.dur);
    // Times are thousandths: compared as whole nanoseconds.
    own.forEach(({ ts, dur }, index) => {
      const next = own[index + 1];
      if (next !== undefined) expect(Math.round(1000 * (ts + dur))).toBeLessThanOrEqual(Math.round(1000 * next.ts));
    });
    return { process: names.get(key.split(' ')[0]) ?? '', thread: names.get(key) ?? '', events: own };
  });
}

function bundle(plan: Plan, topology: Topology, size: number): PlanBundle {
  return withTimeline({ ...bundleOf(plan), topology, size });
}

function threadsOf(plan: Plan, topology: Topology, size: number): readonly Thread[] {
  const whole = bundle(plan, topology, size);
  expect(trace.check(whole)).toEqual([]);
  return view([...trace.emit(whole)].join(''));
}

const pictures = (threads: readonly Thread[], process: string): readonly string[] =>
  threads
    .filter((one) => one.process === process)
    .map(({ thread, events }) => `${thread}: ${events.map(({ ts, dur }) => `${ts / 1e6}+${dur / 1e6}`).join(' ')}`);

describe('the trace of a simulated run', () => {
  // α = 1 s, β = 8 B/s, shards of 32 B: each of the three steps of the ring takes 1 + 32/8 = 5 s.
  it('shows a ring step by step', () => {
    const threads = threadsOf(planOf('ring-allgather', 4, { inPlace: true }), ring(4), 128);
    for (const rank of [0, 1, 2, 3]) {
      const [to, from] = [(rank + 1) % 4, (rank + 3) % 4];
      expect([...pictures(threads, `rank ${rank}, chip ${rank}`)].sort()).toEqual([
        expect.stringMatching(
          new RegExp(`^lane \\d: (to rank ${to}|from rank ${from}), channel 0: 0\\+5 5\\+5 10\\+5$`),
        ),
        expect.stringMatching(
          new RegExp(`^lane \\d: (to rank ${to}|from rank ${from}), channel 0: 0\\+5 5\\+5 10\\+5$`),
        ),
      ]);
    }
    expect(pictures(threads, 'links')).toEqual(
      [0, 1, 2, 3].map((chip) => `chip ${chip} → chip ${(chip + 1) % 4}: 0+5 5+5 10+5`),
    );
  });

  // Two chips add up 32 B with γ = 4 B/s: 5 s on the way, then 8 s of reducing.
  it('shows receives with their reductions', () => {
    const reduce = { throughput: 4, overlap: true };
    const threads = threadsOf(planOf('linear-reduce', 2), ring(2, { reduce }), 32);
    const [receiving] = threads.filter(({ thread }) => thread.includes('from rank 1'));
    expect(receiving.events).toMatchObject([{ name: 'receive and reduce output[0]', ts: 0, dur: 13e6 }]);
  });

  // Pipelined links take the next message as soon as the last byte has entered: after 4 s of 5.
  it('has a row more for messages that are under way together', () => {
    const plan = planOf('pipelined-chain-broadcast', 2, { chunks: 3 });
    const threads = threadsOf(plan, ring(2, { occupancy: 'pipelined' }), 96);
    expect(pictures(threads, 'rank 0, chip 0').filter((line) => line.includes('to rank 1'))).toEqual([
      'lane 1: to rank 1, channel 0: 0+5 8+5',
      'lane 1: to rank 1, channel 0 (2): 4+5',
    ]);
    expect(pictures(threads, 'links')).toEqual(['chip 0 → chip 1: 0+4 4+4 8+4']);
    expect(pictures(threads, 'rank 1, chip 1')).toEqual(['lane 0: from rank 0, channel 0: 0+5 5+4 9+4']);
  });

  it.each([
    ['ring-allreduce', ring(5, { reduce: { throughput: 4, overlap: false }, inflight: 1 }), 3],
    ['full-mesh-alltoall', full(4, { ports: { send: 1, receive: 1 } }), 1],
    ['binomial-broadcast', star(6, { occupancy: 'pipelined' }), 7],
    ['rabenseifner-allreduce', ring(8, { inflight: 0, copy: 16 }), 2],
    ['chain-broadcast', line(4, { occupancy: 'pipelined' }), 20],
  ] as const)('of %s ends with the simulation and takes links as long as it does', (name, machine, bulks) => {
    const plan = lower(scheduleOf(name, machine.chips.length), { bulks });
    const size = 2 ** 16;
    const cost = simulate(plan, new Routes(machine), size);
    const threads = threadsOf(plan, machine, size);
    const last = Math.max(...threads.flatMap(({ events }) => events.map(({ ts, dur }) => ts + dur)));
    expect(last / 1e6).toBeCloseTo(cost.seconds, 6);
    const ranks = threads.filter(({ process }) => process !== 'links').flatMap(({ events }) => events);
    expect(ranks).toHaveLength(plan.ops.kind.length * bulks);
    for (const { link, busy, messages } of cost.links) {
      const own = threads.filter(
        ({ process, thread }) => process === 'links' && thread === linkName(machine, machine.links[link]),
      );
      const events = own.flatMap((one) => one.events);
      expect(events).toHaveLength(messages);
      expect(events.reduce((sum, { dur }) => sum + dur, 0) / 1e6).toBeCloseTo(busy, 5);
    }
  });

  it('needs to know machine and size', () => {
    const plan = planOf('ring-allgather', 4);
    expect(trace.check(withTimeline({ ...bundleOf(plan), size: 64 })).join()).toContain('--topo, --size');
    expect(trace.check(withTimeline({ ...bundleOf(plan), topology: ring(4) })).join()).toContain('--topo, --size');
  });
});

describe('traces of anything', () => {
  const span = (name: string, start: number, end: number) => ({ name, start, end, details: {} });

  it('are documents even when nothing happened', () => {
    expect(JSON.parse([...traceText([])].join(''))).toEqual([]);
    expect(view([...traceText([{ process: 'p', thread: 't', spans: [] }])].join(''))).toEqual([]);
  });

  it('keep processes apart by name, and what overlaps in rows', () => {
    const tracks = [
      { process: 'simulated', thread: 'a', spans: [span('late', 2, 3), span('early', 0, 2), span('across', 1, 2.5)] },
      { process: 'measured', thread: 'a', spans: [span('only "one"', 1, 1)] },
      { process: 'simulated', thread: 'b', spans: [span('x', 0, 1)] },
    ];
    const threads = view([...traceText(tracks)].join(''));
    expect(threads.map(({ process, thread, events }) => [process, thread, events.map(({ name }) => name)])).toEqual([
      ['simulated', 'a', ['early', 'late']],
      ['simulated', 'a (2)', ['across']],
      ['measured', 'a', ['only "one"']],
      ['simulated', 'b', ['x']],
    ]);
  });
});
