/**
 * Derives reductions from data movement. Engines search only for collectives that move data; reversing every transfer
 * of such a schedule makes it a reduction (`reverse`), and composing schedules makes the other collectives, such as an
 * allreduce from a reducescatter and an allgather (docs/collectives.md).
 */
import { type Collective, type CollectiveKind, collectiveFacts, dualKinds, messageChunks } from '../ir/collective.ts';
import type { Schedule } from '../ir/schedule.ts';
import { leastCommonMultiple } from '../ir/whole-numbers.ts';
import { compose, reverse } from '../passes/index.ts';

/** Collectives that only move data. */
export type MovingKind = 'allgather' | 'broadcast' | 'scatter' | 'alltoall';

/** One moving collective within a derivation. A reversed part is searched on the transposed machine (`transpose`). */
export interface DerivedPart {
  readonly kind: MovingKind;
  readonly reversed: boolean;
}

/** One derivation of a collective as a sequence of moving collectives. */
export interface Derivation {
  /** For names of candidates; empty for a derivation with a single part. */
  readonly name: string;
  readonly parts: readonly DerivedPart[];
}

const forward = (kind: MovingKind): DerivedPart => ({ kind, reversed: false });
const backward = (kind: MovingKind): DerivedPart => ({ kind, reversed: true });

const derivations: Partial<Readonly<Record<CollectiveKind, readonly Derivation[]>>> = {
  allgather: [{ name: '', parts: [forward('allgather')] }],
  alltoall: [{ name: '', parts: [forward('alltoall')] }],
  scatter: [{ name: '', parts: [forward('scatter')] }],
  gather: [{ name: '', parts: [backward('scatter')] }],
  reducescatter: [{ name: '', parts: [backward('allgather')] }],
  broadcast: [
    { name: '', parts: [forward('broadcast')] },
    { name: 'scatter and allgather', parts: [forward('scatter'), forward('allgather')] },
  ],
  reduce: [
    { name: '', parts: [backward('broadcast')] },
    { name: 'reducescatter and gather', parts: [backward('allgather'), backward('scatter')] },
  ],
  allreduce: [
    { name: 'reducescatter and allgather', parts: [backward('allgather'), forward('allgather')] },
    { name: 'reduce and broadcast', parts: [backward('broadcast'), forward('broadcast')] },
  ],
};

/** The derivations of a collective, the default first; none for scans, barriers and custom collectives. */
export function derivationsOf(kind: CollectiveKind): readonly Derivation[] {
  return derivations[kind] ?? [];
}

/** The smallest C of the target for which part p of its derivation gets a multiple of `units[p]` chunks. */
export function minChunksPerShard(target: Collective, { parts }: Derivation, units: readonly number[]): number {
  const { ranks } = target;
  const message = parts
    .map(({ kind }, p) => (collectiveFacts[kind].sharded ? units[p] * ranks : units[p]))
    .reduce(leastCommonMultiple, collectiveFacts[target.kind].sharded ? ranks : 1);
  return collectiveFacts[target.kind].sharded ? message / ranks : message;
}

/**
 * Assembles the schedule of a collective from its parts.
 * @param target the collective with its C; a root other than its own may be given for parts of collectives without a
 * root
 * @param move builds part p on the machine as it is, or (`reversed`) on the transposed machine
 */
export function assembleSchedule(
  target: Collective,
  { parts }: Derivation,
  move: (collective: Collective, part: DerivedPart) => Schedule,
  root = target.root,
): Schedule {
  const message = messageChunks(target);
  const made = parts.map((part) => {
    const collective = ofKind(part.kind, target, message, root);
    const schedule = move(collective, part);
    const dual = dualKinds[part.kind];
    return part.reversed && dual !== undefined ? reverse(schedule, ofKind(dual, target, message, root)) : schedule;
  });
  if (made.length > 1) return compose(made, { name: made[0].name, collective: target });
  const [only] = made;
  return { ...only, collective: { ...only.collective, root: target.root } };
}

/** A collective of this kind on the same message as the target. */
function ofKind(kind: CollectiveKind, target: Collective, message: number, root: number): Collective {
  const { ranks, op, ordered, inPlace } = target;
  return { kind, ranks, chunks: collectiveFacts[kind].sharded ? message / ranks : message, root, op, ordered, inPlace };
}
