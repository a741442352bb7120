/** Random small plans that are right, or nearly: random schedules and shipped ones, lowered, with a few mistakes made in them. */
import type { Collective, CollectiveKind } from '../../../src/ir/collective.ts';
import { defaultLimits } from '../../../src/ir/limits.ts';
import type { Plan } from '../../../src/ir/plan.ts';
import { type Schedule, StepsBuilder, type Transfer } from '../../../src/ir/schedule.ts';
import { lower } from '../../../src/lower/index.ts';
import { fitness, instantiate, listShipped, loadScheduleFile } from '../../../src/read/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { type Choose, mutate, mutations } from './mutations.ts';

/** A sequence of numbers from 0 up to a bound, the same for the same seed (xorshift32). */
export function seeded(seed: number): Choose {
  let state = Math.imul(seed, 0x9e3779b1) | 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

export interface NearRight {
  readonly plan: Plan;
  readonly inflight: number | undefined;
  /** What it was made from, for messages. */
  readonly about: string;
}

const names = Object.keys(mutations);

/** States of all interleavings, at most (as a product over lanes); larger plans are not tried. */
const mostStates = 100_000;

/** The plan of a seed; undefined if it is too large to try every interleaving. */
export function nearRight(seed: number): NearRight | undefined {
  const choose = seeded(seed);
  let plan = choose(3) === 0 ? shippedPlan(choose) : lower(randomSchedule(choose), { bulks: 1 + choose(2) });
  const mistakes: string[] = [];
  for (let left = plan === undefined ? 0 : choose(3); left > 0; left--) {
    // Missing waits are the mistakes that are hardest to see: they get the lion's share.
    const name = choose(3) === 0 ? 'drop a dependency' : names[choose(names.length)];
    const mutant: Plan | undefined = plan === undefined ? undefined : mutate(plan, mutations[name], choose);
    if (mutant === undefined) continue;
    plan = mutant;
    mistakes.push(name);
  }
  if (plan === undefined || statesOf(plan) > mostStates) return undefined;
  const inflight = [undefined, 0, 1, 2][choose(4)];
  return { plan, inflight, about: `seed ${seed}: ${plan.name}, ${mistakes.join(', ')}` };
}

/** States of all interleavings, at most. */
export function statesOf({ firstOp, bulks }: Plan): number {
  let states = 1;
  for (let lane = 0; lane + 1 < firstOp.length; lane++) states *= bulks * (firstOp[lane + 1] - firstOp[lane]) + 1;
  return states;
}

function shippedPlan(choose: Choose): Plan | undefined {
  const all = listShipped('schedules');
  const file = loadScheduleFile(all[choose(all.length)]);
  const ranks = 2 + choose(2);
  const op = choose(2) === 0 ? 'sum' : 'max';
  const [ordered, inPlace] = [choose(4) === 0, choose(2) === 0];
  const request = { ranks, root: 0, op, ordered, inPlace, parameters: {}, limits: defaultLimits } as const;
  return fitness(file, request).fits ? lower(instantiate(file, request), { bulks: 1 + choose(2) }) : undefined;
}

const kinds = [
  'broadcast',
  'allgather',
  'reduce',
  'reducescatter',
  'allreduce',
  'gather',
] as const satisfies CollectiveKind[];

/** Every chunk goes its own random way, a transfer per step at most; all of them at once. */
function randomSchedule(choose: Choose): Schedule {
  const ranks = 2 + choose(2);
  const kind = kinds[choose(kinds.length)];
  const rooted = kind === 'broadcast' || kind === 'reduce' || kind === 'gather';
  const root = rooted ? choose(ranks) : 0;
  const whole = collectiveOf(kind, ranks, { chunks: 1 + choose(2), root, inPlace: choose(2) === 0 });
  const sharded = kind === 'allgather' || kind === 'reducescatter' || kind === 'gather';
  const slots = sharded ? ranks * whole.chunks : whole.chunks;
  const ways = Array.from({ length: slots }, (_, slot) => wayOf(whole, slot, choose));
  const steps = new StepsBuilder();
  while (ways.some((way) => way.length > 0)) {
    for (const way of ways) {
      const next = choose(3) === 0 ? undefined : way.shift();
      if (next !== undefined) steps.add(next);
    }
    steps.endStep();
  }
  const about = { name: `random-${kind}`, scratch: 0, commutative: true, ring: false };
  return { ...about, collective: whole, steps: steps.build() };
}

/** The transfers of one slot: gathered into one rank by a random tree, spread from one by another. */
function wayOf({ kind, ranks, chunks, root }: Collective, slot: number, choose: Choose): Transfer[] {
  const shard = Math.floor(slot / chunks);
  const move = (reduces: boolean, source: number, destination: number): Transfer => ({
    ...{
      kind: reduces ? 'reduce' : 'copy',
      source,
      destination,
      channel: choose(4) === 0 ? 1 : 0,
      order: 'held-first',
    },
    pieces: [{ from: 'data', fromOffset: slot, to: 'data', toOffset: slot, count: 1 }],
    origin: undefined,
  });
  const reduceTo = (goal: number): Transfer[] => {
    const left = Array.from({ length: ranks }, (_, rank) => rank);
    const way: Transfer[] = [];
    while (left.length > 1) {
      const [source] = left.splice(choose(left.length), 1);
      if (source === goal) left.push(source);
      else way.push(move(true, source, left[choose(left.length)]));
    }
    return way;
  };
  const spreadFrom = (start: number): Transfer[] => {
    const informed = [start];
    const others = Array.from({ length: ranks }, (_, rank) => rank).filter((rank) => rank !== start);
    return Array.from({ length: ranks - 1 }, () => {
      const [destination] = others.splice(choose(others.length), 1);
      const source = informed[choose(informed.length)];
      informed.push(destination);
      return move(false, source, destination);
    });
  };
  switch (kind) {
    case 'broadcast':
      return spreadFrom(root);
    case 'allgather':
      return spreadFrom(shard);
    case 'gather':
      return shard === root ? [] : [move(false, shard, root)];
    case 'reduce':
      return reduceTo(root);
    case 'reducescatter':
      return reduceTo(shard);
    default: {
      const middle = choose(ranks);
      return [...reduceTo(middle), ...spreadFrom(middle)];
    }
  }
}
