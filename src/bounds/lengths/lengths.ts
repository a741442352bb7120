/**
 * Length bounds: link lengths as dual solutions of fractional routing (Shahrokhi and Matula 1990). If every unit of
 * demand must travel a given total length, and links can carry only so much length per second, the quotient bounds the
 * time. Certificates: distances.ts for alltoalls, spans.ts for allreduces and custom collectives, stretches.ts for
 * scans, routes.ts for data that spreads from roots or gathers at them. Proofs: docs/bounds.md, *Lengths*.
 */
import type { Certificate } from '../../ir/certificate.ts';
import { type Collective, collectiveFacts } from '../../ir/collective.ts';
import { Routes } from '../../ir/routes.ts';
import { shardBytes } from '../../ir/shards.ts';
import { ranksOf } from '../../ir/topology.ts';
import { type Bytes, formatBytes } from '../../ir/units.ts';
import { tightestSide } from '../cuts/bandwidth.ts';
import { type MachineFacts, once } from '../machine-facts.ts';
import type { ProvingLengths } from './proving-lengths.ts';
import { RouteLengths } from './route-lengths.ts';
import { RoutingLengths } from './routing-lengths.ts';
import { ScanLengths } from './scan-lengths.ts';
import { spannedRanksOf } from './spans.ts';
import { TreeLengths } from './tree-lengths.ts';

export function lengthBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  const found = size === 0 ? undefined : lengthsFor(collective, facts);
  if (found === undefined || found.proving.secondsPerByte === 0) return [];
  const seconds = facts.latencies.betweenAnyTwo() + found.proving.secondsPerByte * size;
  const what = whatIsProved(collective, facts, size);
  const reason = `${what}: the link lengths in the certificate (dual weights) show that no routing is faster`;
  return [{ kind: found.kind, seconds, reason, witness: { lengths: found.proving.lengths } }];
}

interface Found {
  readonly kind: 'distances' | 'spans' | 'stretches' | 'routes';
  readonly proving: ProvingLengths;
}

function lengthsFor(collective: Collective, facts: MachineFacts): Found | undefined {
  const of = (kind: Found['kind'], proving: ProvingLengths | undefined) => proving && { kind, proving };
  switch (collective.kind) {
    case 'alltoall':
      return of('distances', routingLengths(collective, facts));
    case 'allreduce':
    case 'custom':
      return of('spans', treeLengths(collective, facts));
    case 'scan':
    case 'exscan':
      return of('stretches', scanLengths(collective, facts));
    case 'allgather':
    case 'broadcast':
    case 'reducescatter':
    case 'reduce':
      return of('routes', routeLengths(collective, facts));
    default:
      return undefined;
  }
}

function whatIsProved({ kind }: Collective, { topology }: MachineFacts, size: Bytes): string {
  switch (kind) {
    case 'alltoall':
      return `every shard of ${formatBytes(size / ranksOf(topology))} must travel from its source to its destination`;
    case 'allreduce':
      return `parts of the machine must exchange ${formatBytes(size)} in both directions, as spanning trees do`;
    case 'scan':
    case 'exscan':
      return `${formatBytes(size)} must pass from rank to rank and be combined on the way`;
    case 'custom':
      return 'parts of the machine that contain ranks of one group must be connected, as spanning trees do';
    default:
      return `${formatBytes(size)} must be distributed or collected along trees made of the routes of messages`;
  }
}

function scanLengths(collective: Collective, facts: MachineFacts): ProvingLengths | undefined {
  const { kind } = collective;
  const search = () => new ScanLengths(facts.topology, kind === 'scan', lengthsOfCut(collective, facts)).best();
  return once(facts, `lengths ${kind}`, search);
}

/**
 * Length 1 for the links of the tightest cut and 0 for all others: these lengths prove as much as the cut does, and are
 * a good start for the search.
 */
function lengthsOfCut(collective: Collective, facts: MachineFacts): Float64Array | undefined {
  const inside = tightestSide(collective, facts)?.inside;
  if (inside === undefined) return undefined;
  return Float64Array.from(facts.topology.links, ({ from, to }) => (inside[from] > inside[to] ? 1 : 0));
}

function routingLengths(collective: Collective, facts: MachineFacts): ProvingLengths | undefined {
  const ranks = ranksOf(facts.topology);
  const bytes = shardBytes(collective, 1);
  const between = (from: number, to: number) => bytes[from * ranks + to];
  if (collective.counts !== undefined) return new RoutingLengths(facts.topology, between).best();
  const likely = () => lengthsOfCut(collective, facts);
  return once(facts, 'lengths alltoall', () => new RoutingLengths(facts.topology, between, likely()).best());
}

function treeLengths(collective: Collective, facts: MachineFacts): ProvingLengths | undefined {
  const spans = spannedRanksOf(collective);
  return once(facts, `lengths ${JSON.stringify(spans)}`, () => new TreeLengths(facts.topology, spans).best());
}

/** On machines where every node is a chip, cuts prove as much as routes: messages can stop at any chip. */
function routeLengths(collective: Collective, facts: MachineFacts): ProvingLengths | undefined {
  const { kind, root, counts } = collective;
  const { topology } = facts;
  const { nodes, chips } = topology;
  if (nodes.length === chips.length || counts !== undefined || nodes.some(({ multicast }) => multicast))
    return undefined;
  return once(facts, `lengths ${kind} ${root}`, () => {
    const gathers = kind === 'reduce' || kind === 'reducescatter';
    const roots = collectiveFacts[kind].rooted ? [root] : [...chips.keys()];
    const search = new RouteLengths(Routes.of(topology), roots, gathers);
    const found = search.search(lengthsOfCut(collective, facts));
    return found && { ...found, secondsPerByte: found.secondsPerByte / roots.length };
  });
}
