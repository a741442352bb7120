/**
 * Lowers the in-tree of an allgather to the compact plan of an allgather, of a reducescatter (the tree of the
 * transposed machine, reversed) or of an allreduce (one after the other, in buffers that are shifted accordingly).
 */
import type { Collective } from '../../ir/collective.ts';
import type { CompactPlan, Generator, InTree } from '../../ir/compact.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { bufferCodes } from '../../lower/memory/buffer-codes.ts';
import { CompactGather } from './gathering.ts';
import { MessageBuffers } from './message-buffers.ts';
import { inInput, inOutput } from './program.ts';
import { Reducing } from './reducing.ts';
import { TreeRows } from './rows.ts';

export interface CompactLowering {
  readonly name: string;
  readonly collective: Collective;
  readonly group: TranslationGroup;
  readonly generators: readonly Generator[];
  readonly bulks: number;
}

/**
 * Lowers trees to the compact plan in which every rank follows them.
 * @param gather tree of the machine, for allgather and allreduce
 * @param reduce tree of the transposed machine, for reducescatter and allreduce
 */
export function lowerLayered(
  { gather, reduce }: { readonly gather?: InTree; readonly reduce?: InTree },
  { name, collective, group, generators, bulks }: CompactLowering,
): CompactPlan {
  const { inPlace } = collective;
  const chunks = collective.kind === 'allreduce' ? collective.chunks / group.order : collective.chunks;
  const rowsOf = (tree: InTree): TreeRows => new TreeRows(tree, generators.length, chunks);
  const gathered = gather === undefined ? undefined : rowsOf(gather);
  const reduced = reduce === undefined ? undefined : rowsOf(reduce);
  const messages = new MessageBuffers(group, generators, largestMessages(generators, gathered, reduced));
  const { program, ownLane, sendLanes } = messages;
  const { input, output } = bufferCodes;
  let ready = -1;
  let lastReads: readonly number[] = [];
  if (reduced !== undefined) {
    ready = new Reducing(reduced, messages, group, generators, inPlace).run();
    lastReads = inPlace ? program.lastOf(sendLanes) : [];
  } else if (!inPlace) {
    program.copy(ownLane, 0, inInput(0), inOutput(0), chunks);
  }
  if (gathered !== undefined) {
    // In an allgather the rank's own shard is in the input initially.
    const ownBuffer = reduced === undefined ? input : output;
    const steps = reduced?.tree.stepCount ?? 0;
    new CompactGather(gathered, messages, group, generators, { ownBuffer, ownReady: ready, lastReads, steps }).run();
  }
  if (bulks > 1) messages.separateBulks();
  const slots = group.order * chunks;
  return program.build({
    name,
    collective,
    shape: group.shape,
    sharded: collective.kind === 'allreduce',
    bulks,
    buffers: {
      input: reduced === undefined ? chunks : slots,
      output: gathered === undefined ? chunks : slots,
      scratch: messages.scratch,
    },
  });
}

/** Per generator: an allgather packs and lands only messages that are not one slice; a reducescatter lands all. */
function largestMessages(
  generators: readonly Generator[],
  gathered: TreeRows | undefined,
  reduced: TreeRows | undefined,
): readonly { readonly packed: number; readonly landed: number }[] {
  return generators.map((_, g) => {
    const several = gathered?.largest(g).several ?? 0;
    const back = reduced?.largest(g) ?? { single: 0, several: 0 };
    const packed = Math.max(several, back.single, back.several);
    return { packed, landed: packed };
  });
}
