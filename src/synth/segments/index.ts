/**
 * The segments engine: trees for short messages on machines with switches whose chips send one message at a time and are not all as far from each
 * other, such as rings of routers and fat trees. Who answers for a segment of the row in which the chips stand hands a part of it over, again and again.
 */
import { type Collective, type CollectiveKind, collectiveFacts, keepsRankOrder } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Topology } from '../../ir/topology.ts';
import { assemble, type Derivation, leastChunks, type Part } from '../derive.ts';
import { dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { centred, rowOf } from '../row.ts';
import { treeSchedule } from './schedule.ts';
import { type Handover, Splitting } from './splitting.ts';
import { type MessageTimes, messageTimes, type RootedKind } from './times.ts';

export const segments: Engine = {
  name: 'segments',
  about: 'trees for short messages behind switches: who answers for a row of chips hands a part of it over',
  propose,
};

/** What is searched grows with the third power of the ranks, and takes a fifth of a second for so many. */
const mostRanks = 128;

/** A part of data that all come from one rank or go to one. */
interface RootedPart extends Part {
  readonly kind: RootedKind;
}

interface TreeDerivation extends Derivation {
  readonly parts: readonly RootedPart[];
}

const spread: RootedPart = { kind: 'broadcast', reversed: false };
const reduced: RootedPart = { kind: 'broadcast', reversed: true };
const dealt: RootedPart = { kind: 'scatter', reversed: false };
const gathered: RootedPart = { kind: 'scatter', reversed: true };

/** Collectives as trees, up or down or both. */
const derivations: Partial<Readonly<Record<CollectiveKind, TreeDerivation>>> = {
  broadcast: { name: '', parts: [spread] },
  reduce: { name: '', parts: [reduced] },
  scatter: { name: '', parts: [dealt] },
  gather: { name: '', parts: [gathered] },
  allgather: { name: 'gather and broadcast', parts: [gathered, spread] },
  reducescatter: { name: 'reduce and scatter', parts: [reduced, dealt] },
  allreduce: { name: 'reduce and broadcast', parts: [reduced, spread] },
};

function* propose(problem: Problem): Iterable<Proposal> {
  const { collective, routes } = problem;
  const derivation = derivations[collective.kind];
  if (problem.algorithm !== undefined || derivation === undefined || !sendsOneByOne(routes.topology)) return;
  const { kind } = collective;
  const name = derivation.name === '' ? `segments-${kind}` : `segments-${kind} (${derivation.name})`;
  const reason = unfitFor(problem, derivation);
  if (reason !== undefined) {
    yield dismissed(name, reason);
    return;
  }
  const times: MessageTimes[] = [];
  for (const part of derivation.parts) {
    const found = messageTimes(problem, part.kind, part.reversed);
    if (found !== undefined) times.push(found);
  }
  if (times.length < derivation.parts.length) {
    yield dismissed(name, 'some chips cannot reach others');
    return;
  }
  // Where all are as far from each other, textbook trees do as well.
  if (!areApart(times[0])) return;
  const apart = (from: number, to: number) => times[0].arrival[from * collective.ranks + to];
  const found = rowOf(collective.ranks, apart);
  const row = collectiveFacts[kind].rooted ? centred(found, collective.root, apart) : found;
  if (isTooLong(problem, derivation, row)) yield dismissed(name, 'its bytes alone take longer than another plan');
  else yield candidate(name, problem, derivation, times, row);
}

/** Behind switches, over one link or one port. */
function sendsOneByOne({ nodes, links, chips }: Topology): boolean {
  const [leaving, entering] = [new Int32Array(nodes.length), new Int32Array(nodes.length)];
  for (const { from, to } of links) {
    leaving[from]++;
    entering[to]++;
  }
  const isNarrow = (node: number): boolean => {
    const { send, receive } = nodes[node].ports;
    return Math.min(send, leaving[node]) === 1 && Math.min(receive, entering[node]) === 1;
  };
  return nodes.length > chips.length && chips.every(isNarrow);
}

function unfitFor(problem: Problem, { parts }: TreeDerivation): string | undefined {
  const { collective, chunks } = problem;
  const { ranks, kind } = collective;
  if (ranks < 3) return 'so few ranks need no tree';
  if (ranks > mostRanks) return `trees over rows of more than ${mostRanks} ranks take too long to find`;
  if (collectiveFacts[kind].reduces && keepsRankOrder(collective)) return 'needs an operator that commutes';
  if (collective.counts !== undefined) return 'shards differ';
  if (chunks !== undefined && chunks % leastChunks(collective, { name: '', parts }, [1, 1]) !== 0) {
    return `a message of ${chunks} chunks cannot be divided among ${ranks} ranks`;
  }
  return undefined;
}

/**
 * Whether messages of all data take so long that other plans are sure to be better. Those that have it double at best while one is sent; a chain along the
 * row, of N messages of latency a, takes (√Na + √(M/β))² in the number of bulks that suits it, and twice that where it has to turn.
 */
function isTooLong({ routes, size, toBeat }: Problem, { parts }: TreeDerivation, row: readonly number[]): boolean {
  const bandwidth = routes.topology.links.reduce((most, link) => Math.max(most, link.bandwidth), 0);
  const whole = parts.filter(({ kind }) => kind === 'broadcast').length;
  const least = (whole * Math.ceil(Math.log2(row.length)) * size) / bandwidth;
  const along = row.slice(1).reduce((sum, rank, at) => sum + (routes.between(row[at], rank)?.latency ?? 0), 0);
  const chain = 2 * whole * (Math.sqrt(along) + Math.sqrt(size / bandwidth)) ** 2;
  return whole > 0 && least >= Math.min(chain, toBeat ?? Number.POSITIVE_INFINITY);
}

function areApart({ ranks, arrival }: MessageTimes): boolean {
  return arrival.some((seconds, at) => at % (ranks + 1) !== 0 && seconds !== arrival[1]);
}

/** Trees are searched when the candidate is first built. */
function candidate(
  name: string,
  { collective, chunks }: Problem,
  derivation: TreeDerivation,
  times: readonly MessageTimes[],
  row: readonly number[],
): Proposal {
  const { parts }: Derivation = derivation;
  const root = collectiveFacts[collective.kind].rooted ? collective.root : row[row.length >> 1];
  const least = chunks ?? leastChunks(collective, derivation, [1, 1]);
  let trees: readonly (readonly Handover[])[] | undefined;
  const build = (multiple: number): Schedule => {
    trees ??= times.map((found) => new Splitting(found, row).treeFrom(root));
    const found = trees;
    const made = (move: Collective, part: Part): Schedule => treeSchedule(name, move, found[parts.indexOf(part)]);
    return assemble({ ...collective, chunks: least * multiple }, derivation, made, root);
  };
  return { kind: 'candidate', candidate: { name, origin: { engine: segments.name, schedule: name }, build } };
}
