/**
 * Checks that floating-point results are deterministic: whether all ranks that must end with the same reduction compute it by the same tree, up to
 * commutativity. Only `sum` and `prod` round; with the other operators every tree gives the same bits.
 */

import type { CellMemory } from '../../ir/cell-memory.ts';
import {
  collectiveFacts,
  type Expectation,
  expectation,
  isIdempotent,
  listed,
  outputChunks,
} from '../../ir/collective.ts';
import type { PlanIndex } from '../../ir/plan-index.ts';
import type { Determinism } from '../../ir/verification.ts';
import type { SymbolicRun } from '../symbolic-run.ts';

/** A reduction that several ranks must hold: the tree of the first rank, and the ranks that have another tree. */
interface Tree {
  readonly chunk: number;
  readonly value: number;
  readonly ranks: number[];
}

/** Compares the trees of reductions; returns undefined if the plan reduces nothing. @param symbolic a complete run with symbolic values */
export function checkDeterminism(index: PlanIndex, memory: CellMemory, symbolic: SymbolicRun): Determinism | undefined {
  const { collective } = index.plan;
  if (!collectiveFacts[collective.kind].reduces || collective.ranks === 1) return undefined;
  const rounds = !isIdempotent(collective.op) && collective.op !== 'xor';
  const trees = new Map<number | string, Tree>();
  let reduced = false;
  for (let rank = 0; rank < collective.ranks; rank++) {
    const slots = outputChunks(collective, rank);
    for (let slot = 0; slot < slots; slot++) {
      const wants = expectation(collective, rank, slot);
      const key = reductionKey(wants, collective.kind === 'allreduce');
      if (key === undefined) continue;
      reduced = true;
      if (!rounds) continue;
      const value = symbolic.cells[memory.output[rank] + slot];
      const tree = trees.get(key);
      if (tree === undefined) trees.set(key, { chunk: slot, value, ranks: [] });
      else if (tree.value !== value && tree.ranks[tree.ranks.length - 1] !== rank) tree.ranks.push(rank);
    }
  }
  if (!reduced) return undefined;
  const differing = [...trees.values()]
    .filter((tree) => tree.ranks.length > 0)
    .map(({ chunk, ranks }) => ({ chunk, ranks }));
  return { identical: differing.length === 0, differing };
}

/** Returns a key that is equal for slots that must hold the same reduction, or undefined for slots that hold a plain copy. */
function reductionKey(wants: Expectation, allreduce: boolean): number | string | undefined {
  switch (wants.kind) {
    case 'undefined':
      return undefined;
    case 'list': {
      if (wants.parts.length < 2) return undefined;
      return listed(wants)
        .map(({ rank, chunk }) => `${rank}:${chunk}`)
        .sort()
        .join(' ');
    }
    case 'ranks':
      if (wants.first === wants.last) return undefined;
      // There may be a million slots, so keys are numbers where possible: the reductions of an allreduce differ in the chunk alone.
      return allreduce ? wants.chunk : `${wants.chunk} ${wants.first} ${wants.last}`;
  }
}
