/** Divides operations into commands, each of which moves a regular pattern of bytes, and derives the dependencies of the commands. */
import type { OperationQueues, Queues } from './queues.ts';
import type { Rows, RowsMove } from './shapes.ts';

export interface CommandQueues extends Queues {
  /** The commands of instance i are `first[i] … first[i + 1] − 1`. */
  readonly first: Int32Array;
}

/** @param movesOf the patterns of an instance; both ends of a message have the same number of them */
export function cutInstances(
  operations: OperationQueues,
  movesOf: (instance: number) => readonly RowsMove[],
): CommandQueues {
  const { queues, queueOf, partner } = operations;
  const first = new Int32Array(queueOf.length + 1);
  queueOf.forEach((_, instance) => {
    first[instance + 1] = first[instance] + movesOf(instance).length;
  });
  const instanceOf = new Int32Array(first[queueOf.length]);
  queueOf.forEach((_, instance) => {
    instanceOf.fill(instance, first[instance], first[instance + 1]);
  });
  const lastOf = (instance: number): number => first[instance + 1] - 1;
  const isAt = (instance: number, engine: 'send' | 'receive'): boolean => queues[queueOf[instance]].engine === engine;
  /**
   * A port may not be able to hold a whole message. So if a receive overwrites the source of an earlier send, each of its commands waits only for the
   * commands of that send whose source it overwrites.
   */
  const neededPiece = (command: number, sent: number): number => {
    const instance = instanceOf[command];
    if (command === lastOf(instance)) return lastOf(sent);
    const target = movesOf(instance)[command - first[instance]].to;
    return (
      first[sent] +
      Math.max(
        0,
        movesOf(sent).findLastIndex(({ from }) => overlap(from, target)),
      )
    );
  };
  const neededBy = (command: number): readonly number[] => {
    const instance = instanceOf[command];
    return operations.neededBy(instance).flatMap((needed) => {
      if (isAt(needed, 'send') && isAt(instance, 'receive')) return neededPiece(command, needed);
      return command === first[instance] ? lastOf(needed) : [];
    });
  };
  return {
    first,
    neededBy,
    queues: queues.map((queue) => {
      const commands = (instance: number) =>
        Array.from({ length: first[instance + 1] - first[instance] }, (_, i) => first[instance] + i);
      return { ...queue, entries: queue.entries.flatMap(commands) };
    }),
    queueOf: instanceOf.map((instance) => queueOf[instance]),
    partner: instanceOf.map((instance, command) =>
      partner[instance] < 0 ? -1 : first[partner[instance]] + command - first[instance],
    ),
  };
}

/** Whether two patterns of bytes may overlap. */
function overlap(one: Rows, other: Rows): boolean {
  return one.region === other.region && one.offset < endOf(other) && other.offset < endOf(one);
}

function endOf({ offset, rows, stride, bytes }: Rows): number {
  return offset + (rows - 1) * stride + bytes;
}
