/** Random plans and machines for property tests. All durations are multiples of 1/8, so that sums are exact. */
import fc from 'fast-check';
import type { Plan } from '../../src/ir/plan.ts';
import type { Link, Topology } from '../../src/ir/topology.ts';
import { link, machine } from './machines.ts';
import { collective, plan, type Step } from './plans.ts';

/** Bytes for which every chunk of 1, 2 or 4 bulks is a multiple of 8 bytes. */
export const evenSize = 96;

/** Connected machines: a ring that links go round one way at least, and more links at random; some with switches. */
export function randomMachine(ranks: number): fc.Arbitrary<Topology> {
  const traits = fc.record({
    latency: fc.integer({ min: 1, max: 4 }),
    bandwidth: fc.constantFrom(1, 2, 4, 8),
    occupancy: fc.constantFrom('blocking' as const, 'pipelined' as const),
  });
  const limit = fc.constantFrom(1, 2, Number.POSITIVE_INFINITY);
  return fc
    .record({
      switches: fc.integer({ min: 0, max: 2 }),
      around: fc.array(traits, { minLength: ranks + 2, maxLength: ranks + 2 }),
      more: fc.array(fc.tuple(fc.nat(ranks + 1), fc.nat(ranks + 1), traits), { maxLength: 2 * ranks }),
      ports: fc.record({ send: limit, receive: limit }),
      inflight: fc.constantFrom(undefined, 0, 1, 2),
      reduce: fc.option(fc.record({ throughput: fc.constantFrom(1, 2, 8), overlap: fc.boolean() }), { nil: undefined }),
      copy: fc.constantFrom(undefined, 2, 8),
    })
    .map(({ switches, around, more, ports, inflight, reduce, copy }) => {
      const nodes = ranks + switches;
      const links: Link[] = Array.from({ length: nodes }, (_, i) => link(i, (i + 1) % nodes, around[i]));
      for (const [from, to, of] of more) {
        const taken = links.some((l) => l.from === from && l.to === to);
        if (from !== to && from < nodes && to < nodes && !taken) links.push(link(from, to, of));
      }
      const chip = { ports, ...(reduce === undefined ? {} : { reduce }), ...(copy === undefined ? {} : { copy }) };
      return machine(ranks, links, { ...chip, ...(inflight === undefined ? {} : { inflight }) }, switches);
    });
}

/**
 * Plans that cannot deadlock, whatever the channels hold: operations are listed in one global order in which they could all
 * run one after the other, and dependencies within a bulk point back in it.
 */
export function randomPlan(ranks: number): fc.Arbitrary<Plan> {
  const lanes = 2;
  const event = fc.record({
    kind: fc.constantFrom('message', 'message', 'message', 'copy', 'reduce'),
    reduces: fc.boolean(),
    from: fc.nat(ranks - 1),
    hop: fc.integer({ min: 1, max: ranks - 1 }),
    channel: fc.nat(1),
    count: fc.integer({ min: 1, max: 3 }),
    step: fc.nat(4),
    after: fc.array(fc.record({ back: fc.nat(1000), bulks: fc.nat(2) }), { maxLength: 2 }),
  });
  return fc
    .record({ events: fc.array(event, { maxLength: 24 }), bulks: fc.constantFrom(1, 2, 4) })
    .map(({ events, bulks }) => {
      const programs: Step[][][] = Array.from({ length: ranks }, () => Array.from({ length: lanes }, () => []));
      const sofar: (readonly [number, number])[][] = Array.from({ length: ranks }, () => []);
      const put = (rank: number, lane: number, step: Omit<Step, 'after'>, after: (typeof events)[number]['after']) => {
        const known = sofar[rank];
        const needs =
          known.length === 0 ? [] : after.map(({ back, bulks: k }) => [...known[back % known.length], k] as const);
        programs[rank][lane].push({ ...step, after: needs });
        known.push([lane, programs[rank][lane].length - 1]);
      };
      for (const { kind, reduces, from, hop, channel, count, step, after } of events) {
        if (kind !== 'message') {
          put(from, channel, { op: kind === 'copy' ? 'copy' : 'reduce', count, step }, after);
          continue;
        }
        // All messages of a connection stand in one lane at either end: lanes follow from the connection alone.
        const to = (from + hop) % ranks;
        put(from, (to + channel) % lanes, { op: 'send', peer: to, channel, count, step }, after);
        put(
          to,
          (from + channel) % lanes,
          { op: reduces ? 'recvReduce' : 'recv', peer: from, channel, count, step },
          [],
        );
      }
      return plan(collective('allreduce', ranks, 3), programs, bulks);
    });
}
