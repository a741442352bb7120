/**
 * Rung 7, determinism of floating point: do the ranks that must end with the same reduction combine it with the same tree, up
 * to commutativity? Only `sum` and `prod` round; any tree of the other operators gives the same bits.
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
import { CheckFindings } from '../story.ts';
import type { SymbolicRun } from '../symbolic-run.ts';

/** The reductions that are wanted at several ranks: who had which tree first, and who has another. */
interface Tree {
  readonly chunk: number;
  readonly value: number;
  readonly ranks: number[];
}

/** Rung 7; undefined where nothing is reduced. */
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

/** Equal for slots that must hold the same reduction; undefined for plain copies. */
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
      // A million slots are asked; an allreduce's reductions differ in the chunk alone.
      return allreduce ? wants.chunk : `${wants.chunk} ${wants.first} ${wants.last}`;
  }
}

/** What is proved of bits, for people. */
export function determinismText({ identical }: Determinism): string {
  return identical
    ? 'deterministic: identical on all ranks'
    : 'deterministic for each rank, but not identical on all ranks (see the warning)';
}

/** The warning, or the error where identical bits were asked for. */
export function describeDeterminism(determinism: Determinism, bitwise: boolean): CheckFindings {
  const findings = new CheckFindings('not-bitwise', bitwise ? 'error' : 'warning');
  if (determinism.identical) return findings;
  const chunks = determinism.differing.length;
  const [{ chunk, ranks }] = determinism.differing;
  const shown = ranks.slice(0, 4).join(', ') + (ranks.length > 4 ? ` and ${ranks.length - 4} more` : '');
  findings.add(() => ({
    message:
      `${chunks === 1 ? 'One chunk is' : `${chunks} chunks are`} not combined with the same tree everywhere: floating-point results may ` +
      `differ in their last bits. Chunk ${chunk}, for one, is combined differently on ${ranks.length === 1 ? 'rank' : 'ranks'} ${shown}.`,
  }));
  return findings;
}
