/** Makes the graphs that `ccc show --emit svg|dot|mermaid` draws: a machine, the messages between ranks in a plan, or one step of it. */
import { messageChunks } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Plan } from '../../ir/plan.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import { layOutMachine } from '../../view/index.ts';
import { displayLimits } from '../shown.ts';
import { type DrawnGraph, machineGraph, rankGraph } from './graphs/index.ts';
import { fractionOfMessage } from './plan/amounts.ts';
import { overlayEdges } from './plan/overlay.ts';
import { shownMessagesOf } from './schedule/transfers.ts';

/** Makes the graph of a machine. @throws CccError 'unsupported' for machines that are too large to draw */
export function drawnMachine(topology: Topology): DrawnGraph {
  checkSize(topology.nodes.length);
  return machineGraph(topology, layOutMachine(topology));
}

/** Makes the graph of ranks that exchange messages, with the total amount in each direction. @throws CccError as `drawnMachine` */
export function drawnOverlay(plan: Plan, topology: Topology | undefined): DrawnGraph {
  const { ranks } = plan.collective;
  checkSize(ranks);
  const whole = messageChunks(plan.collective);
  const arrows = overlayEdges(plan).map(({ from, to, chunks }) => ({
    from,
    to,
    label: fractionOfMessage(chunks, whole),
  }));
  return rankGraph(plan.name, ranks, arrows, placed(topology, ranks));
}

/**
 * Makes the graph of the messages of one step. @param step counted from 1 @throws CccError as `drawnMachine`, 'range' for a step that does not exist
 */
export function drawnStep(schedule: Schedule, step: number, topology: Topology | undefined): DrawnGraph {
  const { steps, collective, name } = schedule;
  const { ranks } = collective;
  checkSize(ranks);
  if (step > steps.stepCount) throw new CccError('range', `--step ${step}: there are steps 1 … ${steps.stepCount}`);
  const whole = messageChunks(collective);
  const arrows = shownMessagesOf(steps, step - 1).map(({ source, destination, chunks }) => {
    return { from: source, to: destination, label: fractionOfMessage(chunks, whole) };
  });
  return rankGraph(`${name}, step ${step} of ${steps.stepCount}`, ranks, arrows, placed(topology, ranks));
}

function placed(topology: Topology | undefined, ranks: number) {
  if (topology === undefined || ranksOf(topology) !== ranks) return undefined;
  return { topology, layout: layOutMachine(topology) };
}

function checkSize(nodes: number): void {
  if (nodes <= displayLimits.nodesInPicture) return;
  throw new CccError(
    'unsupported',
    `${nodes} nodes cannot be read in one picture: ${displayLimits.nodesInPicture} can`,
  );
}
