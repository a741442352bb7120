/**
 * Theorem (docs/bounds.md, *Reductions at first hand*). Let τ be the min Σα of two consecutive messages that end at rank t, and of which the second
 * leaves one of these contributors, or the first leaves a contributor and the second leaves a relay. In less than τ, each of the f contributors can
 * only send its n bytes directly to t, which takes a message at least δ, and t combines them. With the bandwidth B at which t can receive and the
 * throughput γ of its reduce engine, T ≥ min(τ, δ + max(f·n/B, f·n/γ)), with the sum in place of the max if the engine stops the links, and f − 1
 * reductions if nobody else contributes.
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
