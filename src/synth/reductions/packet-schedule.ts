/** Reductions up trees, and results down again, in packets: in each step every edge carries what has come of a packet. */
import type { Collective } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder, type TransferKind } from '../../ir/schedule.ts';
import type { Tree } from '../trees/pack.ts';

/** A tree's edge, up or down. */
interface Edge {
  readonly kind: TransferKind;
  readonly from: number;
  readonly to: number;
  /** The step of its first message. */
  readonly firstStep: number;
  /** Its tree's first chunk in a packet, in parts of the packet, and how many it has. */
  readonly offset: number;
  readonly amount: number;
}

/** Parts into which a packet is cut: each tree carries `amount` of them. */
export function partsOfPacket(trees: readonly Tree[]): number {
  return trees.reduce((sum, { amount }) => sum + amount, 0);
}

/**
 * The reduce or allreduce in which each edge carries one packet a step, from the step in which the first packet can be there: so a
 * message carries what has been reduced in the step before. In an allreduce results go down the same trees.
 *
 * @param trees of a reduce's root, of any ranks for an allreduce; with edges away from the roots, so that reductions go against them
 * @param collective its C is a multiple of the number of packets times `partsOfPacket(trees)`
 * @param packets how many, of one size
 */
export function packetSchedule(
  name: string,
  trees: readonly Tree[],
  collective: Collective,
  packets: number,
): Schedule {
  const perPacket = collective.chunks / packets;
  const perPart = perPacket / partsOfPacket(trees);
  const edges = edgesOf(trees, collective.kind === 'allreduce');
  const connections = byConnection(edges);
  const steps = edges.reduce((most, { firstStep }) => Math.max(most, firstStep), 0) + packets;
  const builder = new StepsBuilder();
  for (let step = 0; step < steps; step++) {
    for (const group of connections) {
      const pieces = group.flatMap(({ firstStep, offset, amount }): Piece[] => {
        const packet = step - firstStep;
        if (packet < 0 || packet >= packets) return [];
        const at = packet * perPacket + offset * perPart;
        return [{ from: 'data', fromOffset: at, to: 'data', toOffset: at, count: amount * perPart }];
      });
      if (pieces.length === 0) continue;
      const [{ kind, from, to }] = group;
      const ends = { source: from, destination: to, channel: 0 };
      builder.add({ kind, ...ends, order: 'held-first', pieces, origin: undefined });
    }
    builder.endStep();
  }
  return { name, collective, scratch: 0, commutative: true, ring: false, inStep: true, steps: builder.build() };
}

/** Edges up the trees, and down again if results go there. */
function edgesOf(trees: readonly Tree[], isTwoWay: boolean): Edge[] {
  let next = 0;
  return trees.flatMap(({ root, amount, edges }) => {
    const offset = next;
    next += amount;
    /** Of each rank, the steps until all that is below has come. */
    const heights = new Map<number, number>();
    for (const { from, to } of [...edges].reverse()) {
      heights.set(from, Math.max(heights.get(from) ?? 0, (heights.get(to) ?? 0) + 1));
    }
    const up = edges.map(({ from, to }): Edge => {
      return { kind: 'reduce', from: to, to: from, firstStep: heights.get(to) ?? 0, offset, amount };
    });
    if (!isTwoWay) return up;
    const complete = (heights.get(root) ?? 0) - 1;
    const down = edges.map(({ from, to, depth }): Edge => {
      return { kind: 'copy', from, to, firstStep: complete + depth, offset, amount };
    });
    return [...up, ...down];
  });
}

/** What goes in one message: edges of the same kind between the same ranks. */
function byConnection(edges: readonly Edge[]): readonly (readonly Edge[])[] {
  const groups = new Map<string, Edge[]>();
  for (const edge of edges) {
    const key = `${edge.kind} ${edge.from} ${edge.to}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [edge]);
    else group.push(edge);
  }
  return [...groups.values()];
}
