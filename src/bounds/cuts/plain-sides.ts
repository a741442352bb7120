/**
 * Sides of cuts that need no flow computation: single ranks, declared groups, runs of consecutive ranks, and periodic
 * patterns.
 */
import type { Collective, CollectiveKind } from '../../ir/collective.ts';
import { ranksOf } from '../../ir/topology.ts';
import { searched } from '../limits.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { ChangingSide } from './changing-side.ts';
import { interleavedRanks } from './interleaved-ranks.ts';
import { acrossAll, crossingRate, opposite, type Side } from './sides.ts';

/**
 * A numbered list of sides: each single rank and each declared group, optionally runs of consecutive ranks, the
 * complements of all these, and interleaved sets. There are many runs, so a run is built only when its number is
 * requested.
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
   * @param withRuns whether runs of consecutive ranks are included
   * @param ofOne whether the first rank stands for all single ranks, since all chips are alike
   * @param mixed the kind of collective for which interleaved ranks are searched
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

  /** Rates (sides.ts) of every `every`-th side, 0 for the others. */
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

  /** Rates of all runs: each run extends the previous one by one rank. */
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

/** Whether values of this kind of collective cross in both directions between interleaved ranks. */
export function isMixed(kind: CollectiveKind): boolean {
  return kind === 'alltoall' || kind === 'scan' || kind === 'exscan';
}

/** The rate of this side, as `crossingRate`, for allreduces and the kinds of `isMixed`. */
function rateOut(kind: CollectiveKind, { ranks, held, lefts, outward }: ChangingSide): number {
  return outward === 0 ? 0 : partOver(kind, ranks, held, lefts) / outward;
}

/** The rate of the complement. */
function rateIn(kind: CollectiveKind, { ranks, held, entries, inward }: ChangingSide): number {
  return inward === 0 ? 0 : partOver(kind, ranks, held, entries) / inward;
}

/**
 * The part of a message that must cross from the `held` ranks to the others, `following` of which directly follow one
 * of the held ones (needs.ts).
 */
function partOver(kind: CollectiveKind, ranks: number, held: number, following: number): number {
  if (kind === 'allreduce') return 1;
  return kind === 'alltoall' ? held * (ranks - held) * (1 / ranks) : following;
}

function sideOf(side: ChangingSide, ranks: readonly number[]): Side {
  side.begin(ranks);
  return { inside: side.inside.slice(), holders: side.holders.slice() };
}

/**
 * Where one side is a single rank whose ports are the bottleneck, also tries the cut with its links on the other side.
 * @returns a function that expands each side into the cuts to try
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
