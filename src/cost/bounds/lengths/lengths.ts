/**
 * Lengths of links as proofs, the dual of routing fractionally (Shahrokhi and Matula 1990): certificates/distances.ts for alltoalls, spans.ts
 * for allreduces and custom collectives, stretches.ts for scans; proved in docs/bounds.md, *Lengths*.
 */
import type { Certificate } from '../../../ir/certificate.ts';
import type { Collective } from '../../../ir/collective.ts';
import { shardBytes } from '../../../ir/shards.ts';
import { ranksOf } from '../../../ir/topology.ts';
import { type Bytes, formatBytes } from '../../../ir/units.ts';
import { tightestSide } from '../cuts/bandwidth.ts';
import { type MachineFacts, once } from '../machine-facts.ts';
import type { ProvingLengths } from './proving-lengths.ts';
import { RoutingLengths } from './routing-lengths.ts';
import { ScanLengths } from './scan-lengths.ts';
import { spansOf } from './spans.ts';
import { TreeLengths } from './tree-lengths.ts';

export function lengthBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  const { kind } = collective;
  const isScan = kind === 'scan' || kind === 'exscan';
  const search = isScan ? scanLengths : provingLengths;
  const found = size === 0 ? undefined : search(collective, facts);
  if (found === undefined || found.secondsPerByte === 0) return [];
  const seconds = facts.latencies.betweenAnyTwo() + found.secondsPerByte * size;
  const what =
    kind === 'alltoall'
      ? `every shard of ${formatBytes(size / ranksOf(facts.topology))} has its distance to go`
      : kind === 'allreduce'
        ? `parts of the machine must exchange ${formatBytes(size)} both ways, as trees that span them do`
        : isScan
          ? `${formatBytes(size)} must go from rank to rank and be combined on the way`
          : 'parts of the machine that have ranks of one group must be joined, as trees that span them do';
  const reason = `${what}: over all links, weighed by the lengths in the certificate, no routing is faster`;
  const of = kind === 'alltoall' ? 'distances' : isScan ? 'stretches' : 'spans';
  return [{ kind: of, seconds, reason, witness: { lengths: found.lengths } }];
}

function scanLengths(collective: Collective, facts: MachineFacts): ProvingLengths | undefined {
  const { kind } = collective;
  const search = () => new ScanLengths(facts.topology, kind === 'scan', lengthsOfCut(collective, facts)).best();
  return once(facts, `lengths ${kind}`, search);
}

/** 1 for the links that cross the tightest cut, 0 for the others: these lengths prove as much as the cut. */
function lengthsOfCut(collective: Collective, facts: MachineFacts): Float64Array | undefined {
  const inside = tightestSide(collective, facts)?.inside;
  if (inside === undefined) return undefined;
  return Float64Array.from(facts.topology.links, ({ from, to }) => (inside[from] > inside[to] ? 1 : 0));
}

/** The lengths that prove most, as far as the search goes: of alltoalls, allreduces and custom collectives. */
function provingLengths(collective: Collective, facts: MachineFacts): ProvingLengths | undefined {
  const { kind, counts } = collective;
  if (kind === 'alltoall') {
    const ranks = ranksOf(facts.topology);
    const bytes = shardBytes(collective, 1);
    const between = (from: number, to: number) => bytes[from * ranks + to];
    if (counts !== undefined) return new RoutingLengths(facts.topology, between).best();
    const likely = () => lengthsOfCut(collective, facts);
    return once(facts, 'lengths alltoall', () => new RoutingLengths(facts.topology, between, likely()).best());
  }
  if (kind !== 'allreduce' && kind !== 'custom') return undefined;
  const spans = spansOf(collective);
  return once(facts, `lengths ${JSON.stringify(spans)}`, () => new TreeLengths(facts.topology, spans).best());
}
