/** From the out-trees of rank 0's chunks to the schedule of all ranks: every rank does the same, shifted. */
import type { Collective } from '../../ir/collective.ts';
import { type Schedule, StepsBuilder, scheduleBuffers } from '../../ir/schedule.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import type { SymmetricMachine } from './machine.ts';
import type { OutTrees } from './out-tree.ts';

const data = scheduleBuffers.indexOf('data');

/** Part of a shard that every rank sends: that of rank r ⊕ owner, where r is the sender. */
interface ShardPart {
  readonly owner: number;
  readonly part: number;
}

/** What every rank sends to the rank one generator further in a step. */
interface Message {
  readonly generator: number;
  readonly parts: ShardPart[];
}

/**
 * The allgather in which rank r's chunks travel over rank 0's trees shifted by r.
 *
 * @param collective an allgather whose C is a multiple of `chunks`
 * @param chunks the number of trees; tree i carries the i-th of so many parts of every shard
 * @param wantsOne messages have their shards in the order of rank 0's, shifted, so that all ranks run one program, if that takes hardly more
 *   copies; else they rise on each rank, and neighbours are moved at once
 */
export function rotated(
  collective: Collective,
  { group, generators, isDirect }: SymmetricMachine,
  trees: OutTrees,
  chunks: number,
  wantsOne: boolean,
): Schedule {
  const builder = new StepsBuilder();
  const size = collective.chunks / chunks;
  const steps = messagesByStep(group, generators, trees);
  const asOne = wantsOne && suitsOneProgram(steps.flat(), chunks);
  for (const messages of steps) {
    let rounds = 0;
    for (const { generator, parts } of messages) {
      const { offset, link } = generators[generator];
      addForAllRanks(builder, group, offset, parts, { chunks, size, asOne });
      rounds = Math.max(rounds, Math.ceil((parts.length * size) / link.units));
    }
    // Links of a switch carry what several generators do; nothing is claimed of them.
    builder.endStep(isDirect ? rounds : 0);
  }
  const built = builder.build(asOne ? group.shape : undefined);
  return { name: 'symmetric', collective, scratch: 0, commutative: false, ring: false, steps: built };
}

/** The tree edges of each step, those on one generator together. */
function messagesByStep(
  group: TranslationGroup,
  generators: SymmetricMachine['generators'],
  trees: OutTrees,
): readonly (readonly Message[])[] {
  const steps = Array.from({ length: trees.stepCount }, () => new Map<number, Message>());
  const back = generators.map(({ offset }) => group.translation(group.negate(offset)));
  for (let row = 0; row < trees.step.length; row++) {
    const messages = steps[trees.step[row]];
    const generator = trees.generator[row];
    const message = messages.get(generator) ?? { generator, parts: [] };
    messages.set(generator, message);
    // The edge leaves rank a = offset ⊖ generator with rank 0's chunk; so rank 0 sends that of rank ⊖a on it.
    const owner = group.negate(back[generator](trees.offset[row]));
    message.parts.push({ owner, part: trees.chunk[row] });
  }
  return steps.map((messages) => [...messages.values()]);
}

/** One program for all ranks may have so many times the operations of one that moves neighbouring shards at once. */
const mostOperations = 1.1;

/** Whether the shards that a rank could move together are so few that it might as well move all one by one. Rank 0 stands for all of them. */
function suitsOneProgram(messages: readonly Message[], chunks: number): boolean {
  let joined = 0;
  let apart = 0;
  for (const { parts } of messages) {
    const slots = Int32Array.from(parts, ({ owner, part }) => owner * chunks + part).sort();
    const starts = slots.filter((slot, at) => at === 0 || slots[at - 1] + 1 !== slot);
    const runs = slots.filter((slot, at) => at === 0 || slots[at - 1] + 1 !== slot || slot % chunks === 0);
    joined += operationsFor(starts.length);
    apart += operationsFor(runs.length);
  }
  return apart <= joined * mostOperations;
}

/** A message of several pieces is packed and unpacked by copies. */
function operationsFor(pieces: number): number {
  return pieces === 1 ? 2 : 2 + 2 * pieces;
}

/** One message from every rank; parts that stand side by side in the data make one piece, within a shard where ranks are to run as one. */
function addForAllRanks(
  builder: StepsBuilder,
  group: TranslationGroup,
  offset: number,
  parts: readonly ShardPart[],
  { chunks, size, asOne }: { readonly chunks: number; readonly size: number; readonly asOne: boolean },
): void {
  const destination = group.images(offset);
  const ordered = [...parts].sort((a, b) => a.owner - b.owner || a.part - b.part);
  const owners = ordered.map(({ owner }) => group.images(owner));
  const slots = new Int32Array(parts.length);
  for (let rank = 0; rank < group.order; rank++) {
    for (let i = 0; i < slots.length; i++) slots[i] = owners[i][rank] * chunks + ordered[i].part;
    if (!asOne) slots.sort();
    builder.startMove(rank, destination[rank]);
    for (let first = 0, next = 1; first < slots.length; first = next++) {
      while (next < slots.length && slots[next] === slots[next - 1] + 1 && !(asOne && slots[next] % chunks === 0))
        next++;
      builder.addPiece(data, slots[first] * size, data, slots[first] * size, (next - first) * size);
    }
  }
}
