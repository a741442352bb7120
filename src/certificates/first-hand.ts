/**
 * Theorem (docs/bounds.md, *Reductions at first hand*). Let τ be the least Σα of two messages of which one leaves one of these contributors
 * and the other comes to it before, or to rank t after it, over another rank. In less than τ all that the contributors have for t's
 * result, n bytes each of f ranks, comes straight to t, in messages of δ or more, and is combined there. With what t can receive, B, and
 * its engine, γ: T ≥ min(τ, δ + max(f·n/B, f·n/γ)), or their sum where the engine stops the links; f − 1 reductions if nobody else contributes.
 */

import type { Witnesses } from '../ir/certificate.ts';
import { itemAt } from '../ir/indexing.ts';
import type { Seconds } from '../ir/units.ts';
import { combinedAlone } from './demands.ts';
import { allBut, type Question } from './question.ts';

export function provedAtFirstHand({ rank, contributors }: Witnesses['first-hand'], question: Question): Seconds {
  const { machine, size } = question;
  const amounts = combinedAlone(question, rank, new Set(contributors));
  if (contributors.length === 0 || amounts === undefined) return 0;
  const to = machine.latencies([rank], 'in');
  const relayed = contributors.map((source) => {
    const others = allBut(source, question);
    const from = machine.latencies([source]);
    const before = itemAt(machine.latencies(others), source);
    const relays = others.filter((other) => other !== rank).map((relay) => itemAt(from, relay) + itemAt(to, relay));
    return Math.min(before + itemAt(to, source), ...relays);
  });
  const first = Math.min(...contributors.map((source) => itemAt(to, source)));
  const receiving = (amounts.received * size) / machine.capacity(rank, 'in');
  const engine = itemAt(machine.topology.nodes, itemAt(machine.chips, rank)).reduce;
  const reducing = engine === undefined ? 0 : (amounts.reduced * size) / engine.throughput;
  const isExclusive = engine !== undefined && !engine.overlap;
  const work = isExclusive ? receiving + reducing : Math.max(receiving, reducing);
  return Math.min(first + work, ...relayed);
}
