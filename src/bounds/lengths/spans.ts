/**
 * Sets of ranks that the messages of any plan must connect (certificates/spans.ts; proved in docs/bounds.md,
 * *Lengths*).
 */
import { type Collective, messageChunks } from '../../ir/collective.ts';
import { multicastDemandsOf } from '../demands.ts';

/** Ranks that must be connected by messages. */
export interface SpannedRanks {
  readonly ranks: readonly number[];
  /**
   * For what share of the message they must be connected; 2 where contributions are combined and the result is sent
   * back.
   */
  readonly amount: number;
}

/** The spans of an allreduce or a custom collective; not defined for other kinds. */
export function spannedRanksOf(collective: Collective): SpannedRanks[] {
  const everyone = Array.from({ length: collective.ranks }, (_, rank) => rank);
  if (collective.kind === 'allreduce') return [{ ranks: everyone, amount: 2 }];
  if (collective.kind !== 'custom') return [];
  const spans = new Map<string, SpannedRanks>();
  const add = (ranks: readonly number[], amount: number): void => {
    if (ranks.length < 2) return;
    const inOrder = [...ranks].sort((a, b) => a - b);
    const name = inOrder.join(' ');
    spans.set(name, { ranks: inOrder, amount: amount + (spans.get(name)?.amount ?? 0) });
  };
  for (const { contributors, wanters, chunks } of multicastDemandsOf(collective)) {
    const amount = chunks / messageChunks(collective);
    const wanting = new Set(wanters);
    add([...new Set([...contributors, ...wanters])], amount);
    add(
      contributors.filter((rank) => wanting.has(rank)),
      amount,
    );
  }
  return [...spans.values()];
}
