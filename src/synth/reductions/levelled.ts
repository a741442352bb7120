/**
 * Reductions shared evenly, step by step: where all chips wait for the one that reduces most, it matters who reduces when. A search
 * of moves fills links, early steps more than late ones, and leaves it to chance who combines what. Each contribution can
 * go to any neighbour that has not sent on its own yet, in any step between those of the contributions that it waits for and of
 * the one that waits for it, if the link has room there.
 */
import { messageChunks } from '../../ir/collective.ts';
import { partOfWork } from '../../ir/effort.ts';
import { Random } from '../../ir/random.ts';
import type { Routes } from '../../ir/routes.ts';
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../../ir/schedule.ts';
import type { Topology } from '../../ir/topology.ts';
import { joinPieces } from '../../passes/index.ts';
import type { Problem } from '../engine.ts';
import { mostTries } from './balanced-trees.ts';
import { ChangingSends, type Message } from './changing-sends.ts';

/** Changes that are tried for each contribution, as long as there are not too many in all. */
const triesEach = 100;

/**
 * The same steps with as long messages, in which contributions to each chunk come together by other ways or in other steps; the schedule
 * itself if it does anything else before its last reduction, or not over single links, or where ports are fewer than links.
 *
 * @param schedule its chunks are of one size, and its operator commutes
 */
export function levelled(schedule: Schedule, { routes, seed, effort = 'full' }: Problem): Schedule {
  const sends = portsForAllLinks(routes.topology) ? sendsOf(schedule, routes) : undefined;
  if (sends === undefined) return schedule;
  const random = new Random(seed);
  const tries = partOfWork[effort] * Math.min(mostTries, triesEach * sends.count);
  const before = sends.seconds();
  for (let attempt = 0; attempt < tries; attempt++) sends.change(random);
  return sends.seconds() < before * (1 - 1e-9) ? rebuilt(schedule, sends) : schedule;
}

/** What is sent of each chunk to be reduced; undefined if something else is done meanwhile. */
function sendsOf({ steps, collective }: Schedule, routes: Routes): ChangingSends | undefined {
  const last = lastReducing(steps);
  const sends = new ChangingSends(routes, messageChunks(collective), last + 1);
  for (let step = 0; step <= last; step++) {
    for (const { kind, source, destination, channel, order, pieces } of steps.inStep(step)) {
      if (kind !== 'reduce' || channel !== 0 || order !== 'held-first') return undefined;
      for (const { from, fromOffset, to, toOffset, count } of pieces) {
        if (from !== 'data' || to !== 'data' || fromOffset !== toOffset) return undefined;
        for (let chunk = fromOffset; chunk < fromOffset + count; chunk++) {
          if (!sends.add({ source, destination, chunk, step })) return undefined;
        }
      }
    }
  }
  sends.closeSteps();
  return sends;
}

function portsForAllLinks({ nodes, links, chips }: Topology): boolean {
  const [out, into] = [nodes.map(() => 0), nodes.map(() => 0)];
  for (const { from, to } of links) {
    out[from]++;
    into[to]++;
  }
  return chips.every((chip) => {
    const { ports } = nodes[chip];
    return ports.send >= out[chip] && ports.receive >= into[chip];
  });
}

function lastReducing(steps: Schedule['steps']): number {
  let last = -1;
  for (let step = 0; step < steps.stepCount; step++) {
    if (steps.inStep(step).some(({ kind }) => kind === 'reduce')) last = step;
  }
  return last;
}

function rebuilt(schedule: Schedule, sends: ChangingSends): Schedule {
  const { steps } = schedule;
  const builder = new StepsBuilder();
  const byStep = sends.byStep();
  for (let step = 0; step < steps.stepCount; step++) {
    const transfers = byStep[step]?.map(reduceTransfer) ?? steps.inStep(step);
    for (const transfer of transfers) builder.add(transfer);
    builder.endStep(steps.rounds[step]);
  }
  return { ...schedule, steps: builder.build() };
}

function reduceTransfer({ source, destination, chunks }: Message): Transfer {
  const pieces = [...chunks]
    .sort((a, b) => a - b)
    .map((chunk): Piece => ({ from: 'data', fromOffset: chunk, to: 'data', toOffset: chunk, count: 1 }));
  const kind = { kind: 'reduce', channel: 0, order: 'held-first', origin: undefined } as const;
  return { ...kind, source, destination, pieces: joinPieces(pieces) };
}
