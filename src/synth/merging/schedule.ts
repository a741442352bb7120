/** Makes a schedule of consecutive exchanges: ranks receive sums into scratch memory and combine them there in the order of the cells. */
import type { Collective } from '../../ir/collective.ts';
import { type Schedule, StepsBuilder, scheduleBuffers } from '../../ir/schedule.ts';
import { type Operand, reduceOperands } from '../../passes/index.ts';
import type { Moves } from '../list/spread.ts';
import { type Exchange, operandsAt } from './chains.ts';

/** @param moves the messages of each exchange; their items are whole vectors */
export function inExchanges(
  exchanges: readonly Exchange[],
  moves: readonly Moves[],
  name: string,
  collective: Collective,
): Schedule {
  const builder = new StepsBuilder();
  const { ranks, chunks } = collective;
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  let sum: Operand = ['data', 0];
  let scratch = 0;
  for (const [index, exchange] of exchanges.entries()) {
    const operands = all.map((rank) => operandsAt(exchange, rank));
    const [start, own] = [scratch, sum];
    const placeAt = (rank: number, item: number): Operand =>
      exchange.cells.item[rank] === item ? own : ['scratch', start + operands[rank].indexOf(item) * chunks];
    addMoves(builder, moves[index], placeAt, chunks);
    const accumulator = start + Math.max(...operands.map(({ length }) => length)) * chunks;
    reduceOperands(builder, all, {
      operandsOf: (rank) => operands[rank].map((item) => placeAt(rank, item)),
      ...(index === exchanges.length - 1 && { resultOf: () => 0 }),
      accumulator,
      count: chunks,
    });
    sum = ['scratch', accumulator];
    scratch = accumulator + chunks;
  }
  return { name, collective, scratch, commutative: true, ring: false, steps: builder.build() };
}

/** Adds the messages of an exchange step by step. Consecutive items between the same two ranks become one message. */
function addMoves(
  builder: StepsBuilder,
  moves: Moves,
  placeAt: (rank: number, item: number) => Operand,
  chunks: number,
): void {
  const code = ([buffer]: Operand): number => scheduleBuffers.indexOf(buffer);
  for (let step = 0; step < moves.steps; step++) {
    const first = moves.stepStart.at(step);
    const end = step + 1 < moves.steps ? moves.stepStart.at(step + 1) : moves.length;
    for (let row = first; row < end; row++) {
      const [from, to, item] = [moves.from.at(row), moves.to.at(row), moves.item.at(row)];
      const isNext = row > first && moves.from.at(row - 1) === from && moves.to.at(row - 1) === to;
      if (!isNext) builder.startMove(from, to);
      const [source, target] = [placeAt(from, item), placeAt(to, item)];
      builder.joinPiece(code(source), source[1], code(target), target[1], chunks);
    }
    builder.endStep();
  }
}
