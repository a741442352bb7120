/** Sides of cuts that are looked at without a flow: single ranks, declared groups, neighbouring ranks, ranks in patterns. */
import type { Collective, CollectiveKind } from '../../ir/collective.ts';
import { ranksOf } from '../../ir/topology.ts';
import { searched } from '../limits.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { ChangingSide } from './changing-side.ts';
import { interleavedRanks } from './interleaved-ranks.ts';
import { acrossAll, crossingRate, opposite, type Side } from './sides.ts';

/**
 * By number: every rank against the rest and declared groups, perhaps runs of neighbouring ranks, all of these as the outside, and
 * interleaved ranks. Runs are many: those that are wanted are made.
 */
export class PlainSides {
  readonly count: number;
  private readonly facts: MachineFacts;
  private readonly side: ChangingSide;
  private readonly listed: readonly Side[];
  private readonly opposites: readonly Side[];
  private readonly runs: number;
  private readonly firstOppositeRun: number;
  private readonly interleaved: readonly Side[];

  /**
   * @param withRuns whether runs are among them
   * @param ofOne of the ranks by themselves the first speaks for all
   * @param mixed the kind whose values go to and fro between interleaved ranks
   */
  constructor(facts: MachineFacts, withRuns: boolean, ofOne: boolean, mixed?: CollectiveKind) {
    const { topology } = facts;
    const ranks = ranksOf(topology);
    const side = new ChangingSide(topology);
    const stride = ofOne ? ranks : Math.ceil(ranks / searched.ranksAlone);
    const single = Array.from({ length: Math.ceil(ranks / stride) }, (_, index) => [index * stride]);
    const sides = [...single, ...topology.groups].map((set) => sideOf(side, set));
    const withOwn = withAlone(facts);
    this.facts = facts;
    this.side = side;
    this.listed = sides.flatMap(withOwn);
    this.opposites = sides.map(opposite).flatMap(withOwn);
    this.runs = withRuns && ranks <= searched.ranksForRuns ? Math.max(0, (ranks >> 1) - 1) * ranks : 0;
    this.firstOppositeRun = this.listed.length + this.runs + this.opposites.length;
    const sets = mixed === undefined ? [] : interleavedRanks(side, () => rateOut(mixed, side));
    this.interleaved = sets.map((set) => sideOf(side, set));
    this.count = this.firstOppositeRun + this.runs + sets.length;
  }

  at(index: number): Side {
    const { listed, runs, opposites, firstOppositeRun, interleaved } = this;
    if (index < listed.length) return listed[index];
    if (index < listed.length + runs) return this.run(index - listed.length);
    if (index < firstOppositeRun) return opposites[index - listed.length - runs];
    const run = index - firstOppositeRun;
    return run < runs ? opposite(this.run(run)) : interleaved[run - runs];
  }

  /** The rate (sides.ts) of every so many of them, 0 of the others. */
  rates(collective: Collective, every: number): Float64Array {
    const rates = new Float64Array(this.count);
    const { kind, counts } = collective;
    const areCounted = counts === undefined && (isMixed(kind) || kind === 'allreduce');
    if (areCounted) this.rateRuns(kind, rates);
    for (let index = 0; index < rates.length; index++) {
      if (index % every > 0) rates[index] = 0;
      else if (!areCounted || !this.isRun(index)) rates[index] = crossingRate(collective, this.facts, this.at(index));
    }
    return rates;
  }

  private isRun(index: number): boolean {
    const { listed, runs, firstOppositeRun } = this;
    const run = index < firstOppositeRun ? index - listed.length : index - firstOppositeRun;
    return run >= 0 && run < runs;
  }

  private run(index: number): Side {
    const ranks = ranksOf(this.facts.topology);
    const first = index % ranks;
    const length = 2 + Math.floor(index / ranks);
    return sideOf(
      this.side,
      Array.from({ length }, (_, at) => (first + at) % ranks),
    );
  }

  /** A run is the one that is shorter by a rank, and that rank. */
  private rateRuns(kind: CollectiveKind, rates: Float64Array): void {
    const { side, listed, runs, firstOppositeRun } = this;
    const ranks = ranksOf(this.facts.topology);
    for (let first = 0; first < Math.min(ranks, runs); first++) {
      side.begin([first]);
      for (let run = first; run < runs; run += ranks) {
        side.add((first + 1 + Math.floor(run / ranks)) % ranks);
        rates[listed.length + run] = rateOut(kind, side);
        rates[firstOppositeRun + run] = rateIn(kind, side);
      }
    }
  }
}

/** Kinds whose values go to and fro between interleaved ranks. */
export function isMixed(kind: CollectiveKind): boolean {
  return kind === 'alltoall' || kind === 'scan' || kind === 'exscan';
}

/** As `rateOf`, of an allreduce or what is mixed. */
function rateOut(kind: CollectiveKind, { ranks, held, lefts, outward }: ChangingSide): number {
  return outward === 0 ? 0 : partOver(kind, ranks, held, lefts) / outward;
}

/** The same of the opposite side. */
function rateIn(kind: CollectiveKind, { ranks, held, entries, inward }: ChangingSide): number {
  return inward === 0 ? 0 : partOver(kind, ranks, held, entries) / inward;
}

/** What of a message must get from the ranks held to the others, of which so many follow one of them (needs.ts). */
function partOver(kind: CollectiveKind, ranks: number, held: number, following: number): number {
  if (kind === 'allreduce') return 1;
  return kind === 'alltoall' ? held * (ranks - held) * (1 / ranks) : following;
}

function sideOf(side: ChangingSide, ranks: readonly number[]): Side {
  side.begin(ranks);
  return { inside: side.inside.slice(), holders: side.holders.slice() };
}

/**
 * Where a single rank is on one side, and its ports are scarce: the same with its links on the other side.
 * @returns what to do with each side
 */
function withAlone({ topology, sends, receives }: MachineFacts): (side: Side) => Side[] {
  const leaving = new Float64Array(topology.nodes.length);
  const entering = new Float64Array(topology.nodes.length);
  for (const { from, to, bandwidth } of topology.links) {
    leaving[from] += bandwidth;
    entering[to] += bandwidth;
  }
  return (side) => {
    const { sources, targets } = acrossAll(side);
    if (sources.length !== 1 && targets.length !== 1) return [side];
    const [rank] = sources.length === 1 ? sources : targets;
    const chip = topology.chips[rank];
    const [linked, through] = sources.length === 1 ? [leaving[chip], sends[rank]] : [entering[chip], receives[rank]];
    if (linked <= through) return [side];
    const inside = side.inside.slice();
    inside[chip] = 1 - inside[chip];
    return [side, { inside, holders: side.holders }];
  };
}
