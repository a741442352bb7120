/** GOAL is read by a parser of its own and replayed: every task runs, every message is taken by the receive that it is meant for. */
import { describe, expect, it } from 'vitest';
import { goal } from '../../src/emit/goal.ts';
import type { PlanBundle } from '../../src/emit/index.ts';
import { OperationCode, type Plan } from '../../src/ir/plan.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { lower } from '../../src/lower/index.ts';
import { ring } from '../model/machines.ts';
import { planOf, scheduleOf } from '../seeds/library.ts';
import { bundleOf } from './msccl/plans.ts';

interface Task {
  readonly rank: number;
  readonly kind: 'send' | 'recv' | 'calc';
  /** Bytes, or nanoseconds. */
  readonly amount: number;
  readonly peer: number;
  readonly tag: number;
  readonly requires: Task[];
}

/** All tasks of all ranks; fails where the text is not GOAL. */
function parse(text: string): Task[] {
  const [header, ...blocks] = text.split(/\n(?=rank )/);
  expect(header).toBe(`num_ranks ${blocks.length}\n`);
  return blocks.flatMap((block, rank) => {
    const lines = block.trimEnd().split('\n');
    expect(lines[0]).toBe(`rank ${rank} {`);
    expect(lines.at(-1)).toBe('}');
    const tasks = new Map<string, Task>();
    for (const line of lines.slice(1, -1)) {
      const required = /^(l\d+) requires (l\d+)$/.exec(line);
      if (required !== null) continue;
      const match = /^(l\d+): (?:(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)|calc (\d+))$/.exec(line);
      if (match === null) throw new Error(`not GOAL: ${line}`);
      const [, label, kind, bytes, peer, tag, calc] = match;
      expect(tasks.has(label)).toBe(false);
      const task = { rank, peer: Number(peer ?? -1), tag: Number(tag ?? -1), requires: [] };
      tasks.set(label, {
        ...task,
        kind: kind === 'send' || kind === 'recv' ? kind : 'calc',
        amount: Number(bytes ?? calc),
      });
    }
    for (const line of lines.slice(1, -1)) {
      const required = /^(l\d+) requires (l\d+)$/.exec(line);
      if (required === null) continue;
      const [task, other] = [tasks.get(required[1]), tasks.get(required[2])];
      if (task === undefined || other === undefined) throw new Error(`no such task: ${line}`);
      task.requires.push(other);
    }
    return [...tasks.values()];
  });
}

/**
 * When each task is done: a send `latency` + bytes · `perByte` after it starts, a receive when its message is there, a calculation
 * after its time. Fails if a task never runs, or a message has no receive of its size.
 */
function replay(tasks: readonly Task[], latency: number, perByte: number): Map<Task, number> {
  const key = (from: number, to: number, tag: number) => `${from} ${to} ${tag}`;
  const sends = new Map<string, Task>();
  for (const task of tasks.filter(({ kind }) => kind === 'send')) {
    const message = key(task.rank, task.peer, task.tag);
    expect(sends.has(message)).toBe(false);
    sends.set(message, task);
  }
  const done = new Map<Task, number>();
  let left = [...tasks];
  while (left.length > 0) {
    const waiting: Task[] = [];
    for (const task of left) {
      const send = task.kind === 'recv' ? sends.get(key(task.peer, task.rank, task.tag)) : undefined;
      if (task.kind === 'recv') expect(send?.amount).toBe(task.amount);
      const needs = send === undefined ? task.requires : [...task.requires, send];
      const times = needs.map((need) => done.get(need) ?? Number.NaN);
      if (times.some(Number.isNaN)) {
        waiting.push(task);
        continue;
      }
      const start = Math.max(0, ...times);
      const duration =
        task.kind === 'send' ? latency + task.amount * perByte : task.kind === 'calc' ? task.amount / 1e9 : 0;
      done.set(task, start + duration);
    }
    expect(waiting.length).toBeLessThan(left.length);
    left = waiting;
  }
  const count = (kind: Task['kind']) => tasks.filter((task) => task.kind === kind).length;
  expect(count('send')).toBe(count('recv'));
  return done;
}

function textOf(plan: Plan, size: number, topology?: Topology): string {
  const bundle: PlanBundle = { ...bundleOf(plan), topology, size };
  expect(goal.check(bundle)).toEqual([]);
  return [...goal.emit(bundle)].join('');
}

describe('GOAL', () => {
  it('is text as its simulators read it', () => {
    const plan = planOf('linear-reduce', 2);
    const reduce = { throughput: 4e9, overlap: true };
    expect(textOf(plan, 4000, ring(2, { reduce }))).toBe(
      [
        'num_ranks 2',
        '',
        'rank 0 {',
        'l1: calc 0',
        'l3: recv 4000b from 1 tag 0',
        'l4: calc 1000',
        'l4 requires l3',
        'l3 requires l1',
        '}',
        '',
        'rank 1 {',
        'l1: send 4000b to 0 tag 0',
        '}',
        '',
      ].join('\n'),
    );
  });

  // α = 1 s, β = 8 B/s, γ = 4 B/s; 5 ranks, 200 B in shards of 40 B: 8 messages of 1 + 5 s, 4 of which are reduced for 10 s.
  it('takes as long as the textbook says of a ring allreduce', () => {
    const text = textOf(planOf('ring-allreduce', 5), 200, ring(5, { reduce: { throughput: 4, overlap: true } }));
    const done = replay(parse(text), 1, 1 / 8);
    expect(Math.max(...done.values())).toBeCloseTo(8 * 6 + 4 * 10, 9);
  });

  // A chain of 3 hops in 10 slices: the last arrives after 3 + 9 messages of 1 + 2 s.
  it('writes all bulks, one behind the other in each lane', () => {
    const plan = lower(scheduleOf('chain-broadcast', 4), { bulks: 10 });
    const tasks = parse(textOf(plan, 160));
    expect(tasks.filter(({ kind }) => kind === 'send')).toHaveLength(30);
    expect(Math.max(...replay(tasks, 1, 1 / 8).values())).toBeCloseTo(12 * 3, 9);
  });

  it.each([
    'bruck-alltoall',
    'swing-allreduce',
    'segmented-ring-allreduce',
    'bidirectional-ring-reducescatter',
    'binomial-scatter',
    'dissemination-barrier',
    'mirrored-hypercube-scan',
  ])('of %s runs to its end and moves what the plan moves', (name) => {
    const plan = lower(scheduleOf(name, 8), { bulks: 3 });
    const { kind, srcCount } = plan.ops;
    const tasks = parse(textOf(plan, 3 * 64 * 840));
    replay(tasks, 1, 1);
    const chunks = srcCount.filter((_, o) => kind[o] === OperationCode.send).reduce((sum, count) => sum + count, 0);
    const bytes = tasks.filter((task) => task.kind === 'send').reduce((sum, { amount }) => sum + amount, 0);
    const perChunk = (3 * 64 * 840) / (plan.collective.kind === 'barrier' ? 1 : messageChunksOf(plan));
    expect(bytes).toBeCloseTo(chunks * perChunk, 6);
  });

  it('keeps channels between two ranks apart', () => {
    const plan = planOf('bidirectional-ring-allgather', 2, { chunks: 4 });
    const tags = parse(textOf(plan, 64)).filter(({ kind, rank }) => kind === 'send' && rank === 0);
    expect(new Set(tags.map(({ tag }) => tag)).size).toBe(tags.length);
  });

  it('refuses what it has no words for', () => {
    const plan = planOf('ring-allgather', 3);
    expect(goal.check(bundleOf(plan)).join()).toContain('--size');
    const uneven = { ...plan, collective: { ...plan.collective, counts: [1, 2, 3] } };
    expect(goal.check({ ...bundleOf(uneven), size: 6 }).join()).toContain('equal size');
    const endless = { ...bundleOf({ ...plan, bulks: 2 ** 24 }), size: 2 ** 30 };
    expect(goal.check(endless).join()).toContain('--bulks');
  });
});

/** Chunks of the larger of one rank's input and output. */
function messageChunksOf({ buffers }: Plan): number {
  return Math.max(...buffers.flatMap(({ input, output }) => [input, output]));
}
