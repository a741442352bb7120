/** Short ways to write schedules, and plans as text. */
import type { Collective } from '../../src/ir/collective.ts';
import { operationAt, type Plan, type Slice } from '../../src/ir/plan.ts';
import { type Piece, type Schedule, type ScheduleBuffer, StepsBuilder, type Transfer } from '../../src/ir/schedule.ts';

/** `piece('data 2 3', 'scratch 0')`: chunks 2, 3 and 4 of data into scratch; the count is 1 unless given, the target the source. */
export function piece(what: string, into: string = what): Piece {
  const [from, fromOffset, count = '1'] = what.split(' ');
  const [to, toOffset] = into.split(' ');
  return {
    from: from as ScheduleBuffer,
    fromOffset: Number(fromOffset),
    to: to as ScheduleBuffer,
    toOffset: Number(toOffset),
    count: Number(count),
  };
}

function transfer(kind: 'copy' | 'reduce', source: number, destination: number, pieces: readonly Piece[]): Transfer {
  return { kind, source, destination, channel: 0, order: 'held-first', pieces, origin: undefined };
}

export function copy(source: number, destination: number, ...pieces: Piece[]): Transfer {
  return transfer('copy', source, destination, pieces);
}

export function reduce(source: number, destination: number, ...pieces: Piece[]): Transfer {
  return transfer('reduce', source, destination, pieces);
}

/** A schedule of steps that are lists of transfers. */
export function schedule(
  target: Collective,
  steps: readonly (readonly Transfer[])[],
  changes: Partial<Schedule> = {},
): Schedule {
  const builder = new StepsBuilder();
  for (const step of steps) {
    for (const one of step) builder.add(one);
    builder.endStep();
  }
  return {
    name: 'test',
    collective: target,
    scratch: 0,
    commutative: true,
    ring: false,
    steps: builder.build(),
    ...changes,
  };
}

/** The operations of a rank, lane by lane: `1: send →2 data 0+1 @1 after 0.0`; `0.0-1` is that operation one bulk earlier. */
export function program(plan: Plan, rank: number): string[] {
  const slice = ({ buffer, offset, count }: Slice): string => `${buffer} ${offset}+${count}`;
  const lines: string[] = [];
  for (let lane = plan.firstLane[rank]; lane < plan.firstLane[rank + 1]; lane++) {
    for (let o = plan.firstOp[lane]; o < plan.firstOp[lane + 1]; o++) {
      const operation = operationAt(plan, o);
      const peer = 'peer' in operation ? ` ${operation.op === 'send' ? '→' : '←'}${operation.peer}` : '';
      const places = [
        ...('src' in operation ? [slice(operation.src)] : []),
        ...('dst' in operation ? [slice(operation.dst)] : []),
      ].join(' > ');
      const after = operation.after.map(
        (wait) => `${wait.lane}.${wait.index}${wait.bulks === 0 ? '' : `-${wait.bulks}`}`,
      );
      const waits = after.length === 0 ? '' : ` after ${after.join(' ')}`;
      lines.push(`${plan.laneId[lane]}: ${operation.op}${peer} ${places} @${operation.step}${waits}`);
    }
  }
  return lines;
}
