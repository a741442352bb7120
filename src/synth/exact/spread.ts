/**
 * Allgather and broadcast by construction: attempts at random, each with another split of the rounds over the steps. What is
 * possible in S steps is possible in more, up to R, since a step of several rounds can be cut in two.
 */
import type { SpreadKind } from '../list/problem.ts';
import { inSplit } from '../list/rounds/pace.ts';
import { attemptRounds } from '../list/rounds/search.ts';
import { type Moves, spreadOf } from '../list/spread.ts';
import type { Instance } from './instance.ts';
import { splitsOf } from './splits.ts';

/** Chunks that are brought to ranks while attempts are made: the work of one search; and the attempts it makes, at least and at most. */
const effort = 120_000;
const fewestAttempts = 8;
const mostAttempts = 400;

/**
 * Moves that solve the instance, undefined where none were found: that says nothing about whether there are any. Steps that the
 * moves do not need are left out, as rounds are that nothing is sent in.
 */
export function constructSpread(
  instance: Instance & { readonly kind: SpreadKind },
  seed: number,
  shouldStop: () => boolean,
): Moves | undefined {
  const { kind, machine, root, chunks, steps, rounds } = instance;
  if (machine.apart === undefined) return undefined;
  const spread = spreadOf({ kind, ranks: machine.ranks, root }, chunks);
  const splits = splitsOf(steps, rounds, seed);
  const deliveries = spread.origin.length * (machine.ranks - 1);
  const attempts = Math.min(mostAttempts, Math.max(fewestAttempts, Math.ceil(effort / deliveries)));
  for (let attempt = 0; attempt < attempts && splits.length > 0; attempt++) {
    if (shouldStop()) return undefined;
    const split = splits[attempt % splits.length];
    const moves = attemptRounds(machine.apart, spread, inSplit(split), seed + attempt);
    if (moves !== undefined) return moves;
  }
  return undefined;
}
