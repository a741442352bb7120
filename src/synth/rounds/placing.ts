/** Parts as the schedule of what was asked for. */
import { type Collective, collectiveFacts } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { withCounts } from '../../passes/index.ts';
import { assemble, type MovingKind } from '../derive.ts';
import { alltoallInRounds } from './alltoall.ts';
import type { Commodity } from './columns.ts';
import { neighbours } from './order.ts';
import type { RoundsProblem } from './problem.ts';
import type { Rounded } from './rounding.ts';
import { type PlacedPart, scheduleInRounds } from './schedule.ts';

const movesTurnedRound: Readonly<Record<string, MovingKind>> = {
  reducescatter: 'allgather',
  reduce: 'broadcast',
  gather: 'scatter',
};

/** @param turned the parts are moves on the machine with its links turned round */
export function scheduleOf(
  name: string,
  { counts, ...collective }: Collective,
  problem: RoundsProblem,
  made: Rounded,
  turned: boolean,
): Schedule {
  const target = { ...collective, chunks: made.chunks };
  const inRounds = (own: Collective): Schedule =>
    own.kind === 'alltoall'
      ? alltoallInRounds(name, own, problem, made)
      : scheduleInRounds(name, own, problem, placed(own, problem, made.parts));
  const move = movesTurnedRound[target.kind];
  const schedule =
    turned && move !== undefined
      ? assemble(target, { name: '', parts: [{ kind: move, reversed: true }] }, inRounds)
      : inRounds(target);
  return counts === undefined ? schedule : withCounts(schedule, counts);
}

/** The parts of each commodity side by side, from where its shard begins. */
function placed({ kind, chunks }: Collective, { commodities }: RoundsProblem, parts: Rounded['parts']): PlacedPart[] {
  return commodities.flatMap((commodity, c) => {
    let first = collectiveFacts[kind].sharded ? shardOf(commodity) * chunks : 0;
    return neighbours(parts[c]).map((part) => {
      const place = { ...part, first };
      first += part.count;
      return place;
    });
  });
}

/** What a rank gives to all is its own shard, what the root gives to one is that one's. */
function shardOf({ source = 0, targets }: Commodity): number {
  return targets.length === 1 ? targets[0] : source;
}
