/**
 * Who must hear of whom, whatever the plan. Take the contributors and the wanters of a result, in any division of the ranks into parts
 * that know what their ranks know. When the first part knows of all contributions, every other part with a contributor has sent a
 * message that holds nothing else; every other part with a wanter has still to receive one. With S parts of contributors and W of
 * wanters that is S + W − 2 messages for each byte, one more if these share no part: at least as many as join all the parts in
 * question, and as join once more the parts of ranks that are both.
 */
import { type Collective, messageChunks } from '../../../ir/collective.ts';
import { demandsOf } from '../demands.ts';

/** Ranks whose parts must be joined by messages. */
export interface Span {
  readonly ranks: readonly number[];
  /** For how much of the message, as a part of M; 2 where contributions come together and the result goes back. */
  readonly amount: number;
}

/** Of allreduces and custom collectives; others are not asked for. */
export function spansOf(collective: Collective): Span[] {
  const everyone = Array.from({ length: collective.ranks }, (_, rank) => rank);
  if (collective.kind === 'allreduce') return [{ ranks: everyone, amount: 2 }];
  if (collective.kind !== 'custom') return [];
  const spans = new Map<string, Span>();
  const add = (ranks: readonly number[], amount: number): void => {
    if (ranks.length < 2) return;
    const inOrder = [...ranks].sort((a, b) => a - b);
    const name = inOrder.join(' ');
    spans.set(name, { ranks: inOrder, amount: amount + (spans.get(name)?.amount ?? 0) });
  };
  for (const { contributors, wanters, chunks } of demandsOf(collective)) {
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
