/** Expands what rank 0 sends to the schedule of all ranks: every rank does the same, shifted. */
import type { Collective } from '../../ir/collective.ts';
import type { StagedRoutes } from '../../ir/compact.ts';
import { type Schedule, type Steps, StepsBuilder, scheduleBuffers } from '../../ir/schedule.ts';
import type { SymmetricMachine } from './machine.ts';
import type { OutTrees } from './out-tree.ts';

const data = scheduleBuffers.indexOf('data');
const scratch = scheduleBuffers.indexOf('scratch');

/** What rank 0 sends in a step over one generator. */
interface Sent {
  readonly step: number;
  readonly generator: number;
}

/** Part of a shard that every rank r forwards: the shard of rank r ⊕ owner. */
interface ShardPart extends Sent {
  readonly owner: number;
  readonly part: number;
}

/** Adds the pieces of the message from one rank to another: those of rank 0's message, shifted. */
type AddPieces = (rank: number, next: number) => void;

/**
 * The allgather in which rank r's chunks travel over rank 0's trees shifted by r.
 * @param collective an allgather whose C is a multiple of `chunks`
 * @param chunks the number of trees; tree i carries the i-th part of every shard
 * @param asOne messages list shards in rank 0's order, shifted, so that all ranks run one program; otherwise in
 * ascending order on each rank, so that neighbouring shards coalesce
 */
export function rotated(
  collective: Collective,
  machine: SymmetricMachine,
  trees: OutTrees,
  chunks: number,
  asOne: boolean,
): Schedule {
  const { group } = machine;
  const size = collective.chunks / chunks;
  const steps = stepsOf(machine, shardParts(machine, trees), size, asOne, (builder, parts) => {
    const ordered = [...parts].sort((a, b) => a.owner - b.owner || a.part - b.part);
    const owners = ordered.map(({ owner }) => group.images(owner));
    const slots = new Int32Array(parts.length);
    return (rank) => {
      for (let i = 0; i < slots.length; i++) slots[i] = owners[i][rank] * chunks + ordered[i].part;
      if (!asOne) slots.sort();
      for (let first = 0, next = 1; first < slots.length; first = next++) {
        while (next < slots.length && slots[next] === slots[next - 1] + 1 && !(asOne && slots[next] % chunks === 0))
          next++;
        builder.addPiece(data, slots[first] * size, data, slots[first] * size, (next - first) * size);
      }
    };
  });
  return { name: 'symmetric', collective, scratch: 0, commutative: false, ring: false, steps };
}

/**
 * The alltoall in which the item from rank r to rank r ⊕ x takes rank 0's path to x, shifted by r. At any time a rank
 * holds one item for each x: first its own item for rank r ⊕ x, in the data buffer; then one in transit, at x of
 * scratch; finally the item from rank r ⊖ x, in the data buffer. What occupied that place, the item for ⊖x, departs
 * when the one for x does, so it has left by then.
 * @param collective an alltoall whose C is a multiple of the parts
 */
export function exchanged(collective: Collective, machine: SymmetricMachine, routes: StagedRoutes): Schedule {
  const { group } = machine;
  const { parts } = routes;
  const size = collective.chunks / parts;
  const steps = stepsOf(machine, hopsOf(routes), size, false, (builder, items) => {
    const outward = items.map(({ offset }) => group.translation(offset));
    const homeward = items.map(({ offset }) => group.translation(group.negate(offset)));
    return (rank, next) => {
      items.forEach(({ offset, part, isFirst, isLast }, i) => {
        const from = (isFirst ? outward[i](rank) : offset) * parts + part;
        const to = (isLast ? homeward[i](next) : offset) * parts + part;
        builder.addPiece(isFirst ? data : scratch, from * size, isLast ? data : scratch, to * size, size);
      });
    };
  });
  const slots = collective.ranks * collective.chunks;
  return { name: 'symmetric', collective, scratch: slots, commutative: false, ring: false, steps };
}

/** One hop of the item that rank 0 sends to rank `offset`: part `part` of the shard. */
interface Hop extends Sent {
  readonly offset: number;
  readonly part: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/**
 * All hops, step by step. Every stage has a fixed duration, however short an item's path in it: the stages of all items
 * end together.
 */
function hopsOf({ parts, stages }: StagedRoutes): readonly Hop[] {
  const items = stages[0].hops.length;
  const hops: Hop[] = [];
  for (let part = 0; part < parts; part++) {
    const times = stages.map(({ hops: all }) =>
      all.reduce((most, n, item) => (item % parts === part ? Math.max(most, n) : most), 0),
    );
    for (let item = part; item < items; item += parts) {
      const path: Sent[] = [];
      let start = 0;
      for (const [stage, { generator, hops: all }] of stages.entries()) {
        for (let hop = 0; hop < all[item]; hop++) path.push({ step: start + hop, generator: generator[item] });
        start += times[stage];
      }
      const offset = Math.floor(item / parts);
      const last = path.length - 1;
      for (const [i, sent] of path.entries())
        hops.push({ ...sent, offset, part, isFirst: i === 0, isLast: i === last });
    }
  }
  return hops.sort((a, b) => a.step - b.step || a.offset - b.offset || a.part - b.part);
}

/**
 * The edge into rank `offset` leaves rank a = offset ⊖ generator with rank 0's chunk; so rank 0 sends that of rank ⊖a
 * over it.
 */
function* shardParts({ group, generators }: SymmetricMachine, trees: OutTrees): Iterable<ShardPart> {
  const back = generators.map(({ offset }) => group.translation(group.negate(offset)));
  for (let row = 0; row < trees.step.length; row++) {
    const generator = trees.generator[row];
    const owner = group.negate(back[generator](trees.offset[row]));
    yield { step: trees.step[row], generator, owner, part: trees.chunk[row] };
  }
}

/** What is sent over one generator in each step. */
function messagesByStep<Item extends Sent>(items: Iterable<Item>): (readonly Item[])[][] {
  const steps: Map<number, Item[]>[] = [];
  for (const item of items) {
    steps[item.step] ??= new Map();
    const message = steps[item.step].get(item.generator);
    if (message === undefined) steps[item.step].set(item.generator, [item]);
    else message.push(item);
  }
  return steps.map((messages) => [...messages.values()]);
}

/** The messages of rank 0, shifted to all ranks. */
function stepsOf<Item extends Sent>(
  { group, generators }: SymmetricMachine,
  sent: Iterable<Item>,
  size: number,
  asOne: boolean,
  piecesOf: (builder: StepsBuilder, items: readonly Item[]) => AddPieces,
): Steps {
  const builder = new StepsBuilder();
  for (const messages of messagesByStep(sent)) {
    let rounds = 0;
    for (const items of messages) {
      const { offset, link } = generators[items[0].generator];
      const destination = group.images(offset);
      const addPieces = piecesOf(builder, items);
      for (let rank = 0; rank < group.order; rank++) {
        builder.startMove(rank, destination[rank]);
        addPieces(rank, destination[rank]);
      }
      rounds = Math.max(rounds, Math.ceil((items.length * size) / link.units));
    }
    builder.endStep(rounds);
  }
  return builder.build(asOne ? group.shape : undefined);
}
