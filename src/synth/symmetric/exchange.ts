/** From the paths of rank 0's items to the alltoall of all ranks: every rank does the same, shifted. */
import type { Collective } from '../../ir/collective.ts';
import { type Schedule, StepsBuilder, scheduleBuffers } from '../../ir/schedule.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import type { Hop } from './axis-paths.ts';
import type { SymmetricMachine } from './machine.ts';

const data = scheduleBuffers.indexOf('data');
const scratch = scheduleBuffers.indexOf('scratch');

/**
 * The alltoall in which the item from rank r to rank r ⊕ x takes rank 0's path to x, shifted by r. At any time a rank holds
 * one item for each x: its own at first, which lies where the data buffer has it for rank r ⊕ x; one on its way, at x of
 * scratch; the one that is for it at last, where the data buffer has it from rank r ⊖ x. What was to leave from there, the
 * item for ⊖x, sets off when the one for x does, so it has gone by then.
 *
 * @param collective an alltoall whose C is a multiple of `parts`
 * @param hops those of all items and parts; an item makes one hop in a step at most
 */
export function exchanged(
  collective: Collective,
  { group, generators }: SymmetricMachine,
  hops: readonly Hop[],
  parts: number,
): Schedule {
  const builder = new StepsBuilder();
  const size = collective.chunks / parts;
  for (const messages of messagesByStep(hops)) {
    let rounds = 0;
    for (const [generator, items] of messages) {
      const { offset, link } = generators[generator];
      addForAllRanks(builder, group, offset, items, { parts, size });
      rounds = Math.max(rounds, Math.ceil((items.length * size) / link.units));
    }
    builder.endStep(rounds);
  }
  const slots = collective.ranks * collective.chunks;
  return { name: 'symmetric', collective, scratch: slots, commutative: false, ring: false, steps: builder.build() };
}

/** For each step and generator, what is sent together, by part and offset. */
function messagesByStep(hops: readonly Hop[]): readonly ReadonlyMap<number, readonly Hop[]>[] {
  const steps: Map<number, Hop[]>[] = [];
  const sorted = [...hops].sort((a, b) => a.step - b.step || a.offset - b.offset || a.part - b.part);
  for (const hop of sorted) {
    steps[hop.step] ??= new Map();
    const message = steps[hop.step].get(hop.generator);
    if (message === undefined) steps[hop.step].set(hop.generator, [hop]);
    else message.push(hop);
  }
  return steps;
}

function addForAllRanks(
  builder: StepsBuilder,
  group: TranslationGroup,
  generator: number,
  items: readonly Hop[],
  { parts, size }: { readonly parts: number; readonly size: number },
): void {
  const onwards = group.translation(generator);
  const outward = items.map(({ offset }) => group.translation(offset));
  const homeward = items.map(({ offset }) => group.translation(group.negate(offset)));
  for (let rank = 0; rank < group.order; rank++) {
    const next = onwards(rank);
    builder.startMove(rank, next);
    items.forEach(({ offset, part, isFirst, isLast }, i) => {
      const between = offset * parts + part;
      const from = isFirst ? outward[i](rank) * parts + part : between;
      const to = isLast ? homeward[i](next) * parts + part : between;
      builder.addPiece(isFirst ? data : scratch, from * size, isLast ? data : scratch, to * size, size);
    });
  }
}
