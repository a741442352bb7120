/** Collectives as trees, up or down or both, and as a tree and a ring. */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { Derivation, Part } from '../derive.ts';
import type { RootedKind } from './times.ts';

/** A part of data that all come from one rank or go to one: a tree. */
export interface RootedPart extends Part {
  readonly kind: RootedKind;
}

/** Shards that go round a ring of the ranks. */
interface RingPart extends Part {
  readonly kind: 'allgather';
}

export interface TreeDerivation extends Derivation {
  readonly parts: readonly (RootedPart | RingPart)[];
}

const spread: RootedPart = { kind: 'broadcast', reversed: false };
const reduced: RootedPart = { kind: 'broadcast', reversed: true };
const dealt: RootedPart = { kind: 'scatter', reversed: false };
const gathered: RootedPart = { kind: 'scatter', reversed: true };
const passedOn: RingPart = { kind: 'allgather', reversed: false };
const addedUp: RingPart = { kind: 'allgather', reversed: true };

/** Those without a name are but one tree. */
const derivations: Partial<Readonly<Record<CollectiveKind, readonly TreeDerivation[]>>> = {
  broadcast: [
    { name: '', parts: [spread] },
    { name: 'scatter and ring', parts: [dealt, passedOn] },
  ],
  reduce: [
    { name: '', parts: [reduced] },
    { name: 'ring and gather', parts: [addedUp, gathered] },
  ],
  scatter: [{ name: '', parts: [dealt] }],
  gather: [{ name: '', parts: [gathered] }],
  allgather: [{ name: 'gather and broadcast', parts: [gathered, spread] }],
  reducescatter: [{ name: 'reduce and scatter', parts: [reduced, dealt] }],
  allreduce: [{ name: 'reduce and broadcast', parts: [reduced, spread] }],
};

export function treesFor(kind: CollectiveKind): readonly TreeDerivation[] {
  return derivations[kind] ?? [];
}

export function isTree(part: RootedPart | RingPart): part is RootedPart {
  return part.kind !== 'allgather';
}
