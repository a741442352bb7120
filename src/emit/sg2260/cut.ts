/** Operations cut into commands, each of which moves one shape of bytes, and what these wait for. */
import type { OperationQueues, Queues } from './queues.ts';
import type { Rows, RowsMove } from './shapes.ts';

export interface CommandQueues extends Queues {
  /** By instance: its first command; the others follow. One more at the end. */
  readonly first: Int32Array;
}

/** @param movesOf an instance, no fewer than at the other end of its message */
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
  /** A port may not hold all of a message. What waits for it to be sent, to be received there, therefore waits piece by piece. */
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

/** Whether rows could have a byte in common. */
function overlap(one: Rows, other: Rows): boolean {
  return one.region === other.region && one.offset < endOf(other) && other.offset < endOf(one);
}

function endOf({ offset, rows, stride, bytes }: Rows): number {
  return offset + (rows - 1) * stride + bytes;
}
