/** Who must hear of whom, whatever the plan: ranks that messages must join (certificates/spans.ts, proved in docs/bounds.md, *Lengths*). */
import { type Collective, messageChunks } from '../../ir/collective.ts';
import { multicastDemandsOf } from '../demands.ts';

/** Ranks whose parts must be joined by messages. */
export interface SpannedRanks {
  readonly ranks: readonly number[];
  /** For how much of the message, as a part of M; 2 where contributions come together and the result goes back. */
  readonly amount: number;
}

/** Of allreduces and custom collectives; others are not asked for. */
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
