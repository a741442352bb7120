/** Reductions up trees, in waves: in each step every edge carries the part of the wave that has come so far. */
import type { Collective } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../ir/schedule.ts';
import type { Tree } from '../trees/pack.ts';

/** A tree's edge, turned round: towards the root. */
interface Edge {
  readonly from: number;
  readonly to: number;
  /** The step of its first message. */
  readonly firstStep: number;
  /** Its tree's first chunk in a wave, in parts of the wave, and how many it has. */
  readonly offset: number;
  readonly amount: number;
}

/** Parts into which a wave is cut: each tree carries `amount` of them. */
export function partsOfWave(trees: readonly Tree[]): number {
  return trees.reduce((sum, { amount }) => sum + amount, 0);
}

/**
 * The reduce in which wave w leaves the edges of depth d in step w + h − d, h the height of the trees: so it is at all edges
 * of one depth at a time, and each message carries what has been reduced in the step before.
 *
 * @param trees of the root, on the machine with its links turned round
 * @param collective a reduce; its C is a multiple of `waves · partsOfWave(trees)`
 */
export function waveSchedule(name: string, trees: readonly Tree[], collective: Collective, waves: number): Schedule {
  const height = trees.reduce(
    (most, { edges }) => edges.reduce((deepest, { depth }) => Math.max(deepest, depth), most),
    0,
  );
  const perWave = collective.chunks / waves;
  const perPart = perWave / partsOfWave(trees);
  const connections = byConnection(edgesOf(trees, height));
  const builder = new StepsBuilder();
  for (let step = 0; step < waves + height - 1; step++) {
    for (const edges of connections) {
      const pieces = edges.flatMap(({ firstStep, offset, amount }): Piece[] => {
        const wave = step - firstStep;
        if (wave < 0 || wave >= waves) return [];
        const at = wave * perWave + offset * perPart;
        return [{ from: 'data', fromOffset: at, to: 'data', toOffset: at, count: amount * perPart }];
      });
      if (pieces.length === 0) continue;
      const [{ from, to }] = edges;
      const ends = { source: from, destination: to, channel: 0 };
      builder.add({ kind: 'reduce', ...ends, order: 'held-first', pieces, origin: undefined });
    }
    builder.endStep();
  }
  return { name, collective, scratch: 0, commutative: true, ring: false, inStep: true, steps: builder.build() };
}

function edgesOf(trees: readonly Tree[], height: number): Edge[] {
  let next = 0;
  return trees.flatMap(({ amount, edges }) => {
    const offset = next;
    next += amount;
    return edges.map(({ from, to, depth }) => ({ from: to, to: from, firstStep: height - depth, offset, amount }));
  });
}

function byConnection(edges: readonly Edge[]): readonly (readonly Edge[])[] {
  const groups = new Map<string, Edge[]>();
  for (const edge of edges) {
    const key = `${edge.from} ${edge.to}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [edge]);
    else group.push(edge);
  }
  return [...groups.values()];
}
