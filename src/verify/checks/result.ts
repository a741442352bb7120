/** Checks the result: at the end of one symbolic run, every output slot must hold exactly the value that the collective defines. */
import {
  type Collective,
  collectiveFacts,
  combinesInRankOrder,
  type Expectation,
  expectation,
  isIdempotent,
  outputChunks,
} from '../../ir/collective.ts';
import { CheckFindings } from '../explain/findings.ts';
import { describeWrongResult, type Replay } from '../explain/wrong-result.ts';
import { SymbolicRun } from '../symbolic-run.ts';
import type { CombinationTable } from '../values.ts';

/** Finds the output slots with a wrong value, and returns the findings together with the run. @param replay a complete run without data races */
export function checkResult(replay: Replay): { readonly findings: CheckFindings; readonly symbolic: SymbolicRun } {
  const { index, memory, connections, order } = replay;
  const { collective, buffers } = index.plan;
  const symbolic = new SymbolicRun(index, memory, connections);
  symbolic.executeAll(order);
  const findings = new CheckFindings('wrong-result');
  const judge = new Judge(collective, symbolic.values);
  for (let rank = 0; rank < buffers.length; rank++) {
    const slots = outputChunks(collective, rank);
    for (let slot = 0; slot < slots; slot++) {
      const value = symbolic.cells[memory.output[rank] + slot];
      const wants = expectation(collective, rank, slot);
      if (judge.accepts(value, wants)) continue;
      findings.add(() => {
        const wanted = judge.wantedLeaves(wants);
        return describeWrongResult(replay, symbolic.values, { rank, slot, value, wanted });
      });
    }
  }
  return { findings, symbolic };
}

/** Decides whether a value is the expected one; equal questions are decided once. */
class Judge {
  private readonly values: CombinationTable;
  private readonly idempotent: boolean;
  private readonly rankOrder: boolean;
  private readonly accepted = new Map<number, Expectation>();

  constructor(collective: Collective, values: CombinationTable) {
    this.values = values;
    // Collectives that reduce nothing ignore the operator; for them x ⊕ x is never x.
    this.idempotent = collectiveFacts[collective.kind].reduces && isIdempotent(collective.op);
    this.rankOrder = combinesInRankOrder(collective);
  }

  accepts(value: number, wants: Expectation): boolean {
    if (wants.kind === 'undefined') return true;
    if (value === -1) return false;
    if (wants.kind === 'ranks' && value === this.values.leaf(wants.first, wants.chunk)) {
      return wants.first === wants.last;
    }
    const known = this.accepted.get(value);
    if (known !== undefined && isSame(known, wants)) return true;
    const wanted = this.wantedLeaves(wants);
    const holds = this.holds(value, wanted, wants.kind === 'list');
    if (holds) this.accepted.set(value, wants);
    return holds;
  }

  wantedLeaves(wants: Expectation): readonly number[] {
    switch (wants.kind) {
      case 'undefined':
        return [];
      case 'list':
        return wants.parts.map(({ rank, chunk }) => this.values.leaf(rank, chunk + wants.at));
      case 'ranks': {
        const ranks = wants.last - wants.first + 1;
        return Array.from({ length: ranks }, (_, at) => this.values.leaf(wants.first + at, wants.chunk));
      }
    }
  }

  /**
   * Whether a value has exactly the wanted contributions: as often as wanted unless the operator is idempotent, and in rank order if the operator
   * does not commute. In a list with an order of its own (custom collectives), repeats matter even to idempotent operators: x ⊕ y ⊕ x is not x ⊕ y.
   */
  private holds(value: number, wanted: readonly number[], listed: boolean): boolean {
    const ownOrder = this.rankOrder && listed;
    const repeats = this.idempotent && !ownOrder;
    const held = this.values.contents(value, wanted.length + 1, repeats);
    const target = repeats ? [...new Set(wanted)] : [...wanted];
    if (held.length !== target.length) return false;
    if (ownOrder) return held.every((leaf, at) => leaf === target[at]);
    if (this.rankOrder && !this.values.inOrder(value)) return false;
    held.sort((a, b) => a - b);
    target.sort((a, b) => a - b);
    return held.every((leaf, at) => leaf === target[at]);
  }
}

function isSame(a: Expectation, b: Expectation): boolean {
  if (a.kind === 'ranks') return b.kind === 'ranks' && a.chunk === b.chunk && a.first === b.first && a.last === b.last;
  return a.kind === 'list' && b.kind === 'list' && a.parts === b.parts && a.at === b.at;
}
