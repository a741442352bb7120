/** Launches and overheads in bounds: by hand, attained where a plan can, and refused where they claim more. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import { Routes } from '../../src/ir/routes.ts';
import { type Topology, withTiming } from '../../src/ir/topology.ts';
import { simulate } from '../../src/model/index.ts';
import { full, line } from '../model/machines.ts';
import { collective, plan, recv, recvReduce, send } from '../model/plans.ts';

const size = 8;

/** Lanes so fast that bytes take no time to speak of: o = 3 s, o′ = 2 s, and a launch of 10 s. */
function laned(topology: Topology): Topology {
  const links = topology.links.map((link) => ({ ...link, bandwidth: 1e12, occupancy: 'pipelined' as const }));
  return withTiming(
    { ...topology, links },
    { launch: 10, lane: { overhead: 3, bandwidth: 1e12, local: { overhead: 2, bandwidth: 1e12 } } },
  );
}

describe('overheads', () => {
  it('of a send and a receive stand beside the latency, after the launch', () => {
    const machine = laned(line(3));
    const { seconds, certificates } = lowerBound(collective('broadcast', 3), machine, size);
    // From the first chip to the last: 3 + 2 · 1 + 3.
    expect(certificates[0].kind).toBe('overheads');
    expect(seconds).toBeCloseTo(10 + 8, 9);
    // A message straight to each is as fast as that.
    const straight = plan(collective('broadcast', 3), [[[send(1)], [send(2)]], [[recv(0)]], [[recv(0)]]]);
    expect(simulate(straight, new Routes(machine), size).seconds).toBeCloseTo(seconds, 9);
  });

  it('of a reduction stand beside them where something is combined', () => {
    const machine = laned(full(2));
    const reduced = lowerBound(collective('reduce', 2), machine, size);
    expect(reduced.seconds).toBeCloseTo(10 + 3 + 1 + 3 + 2, 9);
    const made = plan(collective('reduce', 2), [[[recvReduce(1)]], [[send(0)]]]);
    expect(simulate(made, new Routes(machine), size).seconds).toBeCloseTo(reduced.seconds, 9);
    // Rank 1 of an exscan takes what rank 0 has, as it is; nothing is claimed of a barrier but the launch and the latency.
    expect(lowerBound(collective('exscan', 2), machine, size).seconds).toBeCloseTo(10 + 7, 9);
    expect(lowerBound(collective('barrier', 2), machine, size).seconds).toBeCloseTo(10 + 1, 9);
  });

  it('are certified, and no more than they are', () => {
    const machine = laned(line(3));
    const target = collective('allreduce', 3);
    const { certificates } = lowerBound(target, machine, size);
    expect(certificates.every((one) => checkCertificate(one, target, machine, size))).toBe(true);
    for (const one of certificates) {
      expect(checkCertificate({ ...one, seconds: one.seconds * 1.001 }, target, machine, size)).toBe(false);
    }
    const [first] = certificates;
    expect(first.kind).toBe('overheads');
    // Without lanes there are no overheads, without a launch no launch.
    expect(checkCertificate(first, target, { ...machine, lane: undefined }, size)).toBe(false);
    expect(checkCertificate(first, target, { ...machine, launch: undefined }, size)).toBe(false);
  });

  it('are all there is to a collective of one rank: its launch', () => {
    const machine = laned(full(1));
    const { seconds, certificates } = lowerBound(collective('allgather', 1), machine, size);
    expect(seconds).toBe(10);
    expect(checkCertificate(certificates[0], collective('allgather', 1), machine, size)).toBe(true);
  });
});
