/** What engines leave alone on machines of hundreds and thousands of chips, unless they are asked by name. */
import { describe, expect, it } from 'vitest';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { engines, type Problem, type Proposal } from '../../src/synth/index.ts';
import { collectiveOf } from '../collectives.ts';
import { problemFor } from './problems.ts';

function problemOf(kind: CollectiveKind, machine: string, byName: boolean): Problem {
  const topology = resolveTopology(machine);
  return problemFor(collectiveOf(kind, topology.chips.length), topology, { byName, effort: 'quick' });
}

function proposals(engine: string, problem: Problem): Proposal[] {
  return [...(engines.find(({ name }) => name === engine)?.propose(problem) ?? [])];
}

describe('textbook algorithms on a ring of 300', () => {
  const ringAllreduce = (byName: boolean) => {
    const [found] = proposals('library', problemOf('allreduce', 'ring:300', byName)).filter(
      (proposal) => proposal.kind === 'candidate' && proposal.candidate.name === 'ring-allreduce',
    );
    if (found?.kind !== 'candidate') throw new Error('there is a ring allreduce');
    return found.candidate;
  };

  it('are made only if they have few messages', () => {
    expect(() => ringAllreduce(false).build(1)).toThrow(/more messages, counted by their pieces/);
  });

  it('are made however many they have where the library is asked by name', () => {
    expect(ringAllreduce(true).build(1).steps.transferCount).toBe(2 * 300 * 299);
  });
});

describe('on thousands of chips', () => {
  it.each([
    ['scans', 'scan', 'ring:600', 'take too long to make'],
    ['trees', 'broadcast', 'ring:2049', 'takes too long'],
    // Each of 3,000 ranks gets 2,999 shards: 9 million messages or pieces of messages.
    ['list', 'allgather', 'ring:3000', 'more operations than the limit'],
  ] as const)('%s proposes no %s on %s', (engine, kind, machine, reason) => {
    const found = proposals(engine, problemOf(kind, machine, false));
    expect(found.filter((proposal) => proposal.kind === 'candidate')).toEqual([]);
    expect(JSON.stringify(found)).toContain(reason);
  });

  it('list cuts a broadcast to 4,356 chips into few pieces', () => {
    const [found] = proposals('list', problemOf('broadcast', 'torus:66x66', false));
    if (found?.kind !== 'candidate') throw new Error('there is a broadcast in steps');
    // Two pieces at most over each of four links; every chip but the root gets each of them once.
    const { steps, collective } = found.candidate.build(1);
    expect(collective.chunks).toBeLessThanOrEqual(8);
    expect(steps.transferCount).toBeLessThanOrEqual(8 * 4355);
  });

  it.each(['reduce', 'allreduce'] as const)('packets packs no trees for a %s of 1,089 chips', (kind) => {
    const names = (machine: string) => JSON.stringify(proposals('in-step', problemOf(kind, machine, false)));
    expect(names('mesh:33x33')).toContain('packing trees of more than 1024 ranks takes too long');
    expect(names('mesh:3x3')).not.toContain('takes too long');
  });
});
