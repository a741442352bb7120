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
 */
export function rotated(
  collective: Collective,
  { group, generators, isDirect }: SymmetricMachine,
  trees: OutTrees,
  chunks: number,
): Schedule {
  const builder = new StepsBuilder();
  const size = collective.chunks / chunks;
  for (const messages of messagesByStep(group, generators, trees)) {
    let rounds = 0;
    for (const { generator, parts } of messages) {
      const { offset, link } = generators[generator];
      addForAllRanks(builder, group, offset, parts, { chunks, size });
      rounds = Math.max(rounds, Math.ceil((parts.length * size) / link.units));
    }
    // Links of a switch carry what several generators do; nothing is claimed of them.
    builder.endStep(isDirect ? rounds : 0);
  }
  return { name: 'symmetric', collective, scratch: 0, commutative: false, ring: false, steps: builder.build() };
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

/** One message from every rank; parts that stand side by side in the data make one piece. */
function addForAllRanks(
  builder: StepsBuilder,
  group: TranslationGroup,
  offset: number,
  parts: readonly ShardPart[],
  { chunks, size }: { readonly chunks: number; readonly size: number },
): void {
  const onwards = group.translation(offset);
  const owners = parts.map(({ owner }) => group.translation(owner));
  const slots = new Int32Array(parts.length);
  for (let rank = 0; rank < group.order; rank++) {
    for (let i = 0; i < parts.length; i++) slots[i] = owners[i](rank) * chunks + parts[i].part;
    slots.sort();
    builder.startMove(rank, onwards(rank));
    for (let first = 0, next = 1; first < slots.length; first = next++) {
      while (next < slots.length && slots[next] === slots[next - 1] + 1) next++;
      builder.addPiece(data, slots[first] * size, data, slots[first] * size, (next - first) * size);
    }
  }
}
