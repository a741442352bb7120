/** Plans that engines make, written as plan JSON, read by the kernel's own reader: what the compiler proved in its tables the file says too. */
import { describe, expect, it } from 'vitest';
import { planJson, searchDefaults, searchPlan } from '../../src/index.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { ranksOf } from '../../src/ir/topology.ts';
import { checkPlan } from '../../src/kernel/check.ts';
import { readPlanFile } from '../../src/kernel/read.ts';
import { resolveTopology } from '../../src/read/index.ts';
import type { ProvedBundle } from '../../src/search/proved-bundle.ts';
import { judgePlan } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';
import { wordOf } from './answers.ts';

const kinds: readonly CollectiveKind[] = [
  ...(['allgather', 'reducescatter', 'allreduce', 'broadcast', 'reduce', 'scatter', 'gather', 'alltoall'] as const),
  ...(['scan', 'exscan', 'barrier'] as const),
];

function compiled(kind: CollectiveKind, machine: string, inPlace: boolean, counts?: readonly number[]): ProvedBundle {
  const topology = resolveTopology(machine);
  const collective = collectiveOf(kind, ranksOf(topology), counts === undefined ? { inPlace } : { inPlace, counts });
  const size = counts?.reduce((sum, bytes) => sum + bytes, 0) ?? 2 ** 20;
  return searchPlan({ ...searchDefaults, effort: 'quick', collective, topology, size }).bundle;
}

function planText(...what: Parameters<typeof compiled>): string {
  return planJson(compiled(...what));
}

/** What `ccc-check` says of a text. */
function answerOf(text: string): string {
  const plan = readPlanFile(JSON.parse(text));
  return wordOf(() => checkPlan(plan, plan));
}

describe.each(['ring:4', 'sg2260x4', 'switch:3'])('on %s', (machine) => {
  it.each(kinds)('%s is right, in place and out of place', (kind) => {
    for (const inPlace of [false, true]) expect(answerOf(planText(kind, machine, inPlace))).toBe('correct');
  });

  // What was asked while it was a candidate is not asked again when it leaves.
  it.each(kinds)('of %s is said what the ladder says with the kernel', (kind) => {
    const { proved, size, dtype } = compiled(kind, machine, false);
    const topology = resolveTopology(machine);
    expect(proved.verification).toEqual(judgePlan(proved.plan, { topology, load: { topology, size, dtype } }));
  });

  it('an allgather of unequal shards is right', () => {
    const counts = Array.from({ length: ranksOf(resolveTopology(machine)) }, (_, rank) => (rank % 3) * 4096);
    expect(answerOf(planText('allgather', machine, false, counts))).toBe('correct');
  });
});

it('A file in which one number of one message is another is not what was proved', () => {
  const text = planText('allgather', 'mesh:2x3', false);
  const received = /("op": *"recv"[^}]*"dst": *\["output", *)(\d+)/g;
  const changed = [...text.matchAll(received)].map(({ index, 0: all, 1: head, 2: slot }) => {
    return `${text.slice(0, index)}${head}${Number(slot) === 0 ? 1 : 0}${text.slice(index + all.length)}`;
  });
  expect(changed.length).toBeGreaterThan(10);
  for (const other of changed) expect(answerOf(other)).not.toBe('correct');
});
