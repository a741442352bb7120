/**
 * Converts an MSCCL++ execution plan to a plan with sends and receives, which can be simulated and drawn like any other (docs/mscclpp.md lists the
 * approximations). Blocks become lanes. The result describes when things happen, not which data moves, so that the verifier does not apply to it.
 */
import { CccError } from '../../ir/diagnostic.ts';
import { operationFrom, type Plan, PlanBuilder } from '../../ir/plan.ts';
import { chunkBytesOf } from '../../ir/shards.ts';
import type { Topology } from '../../ir/topology.ts';
import { type Bytes, formatBytes } from '../../ir/units.ts';
import { CellLayout, cellCollectiveOf, scaleFor } from '../check/index.ts';
import type { ExecutionPlan } from '../execution-plan.ts';
import { actsOf } from './acts.ts';
import type { Draft } from './drafts.ts';
import { blockLanesOf, type GpuLane } from './messages.ts';

/**
 * Converts a plan that has been found correct.
 * @param size bytes of the whole message (M)
 * @throws CccError 'unsupported' for a size that the file does not serve, switch channels, and blocks whose threads must run ahead of others; 'limit'
 *   for pipelines with too many iterations
 */
export function asMessages(plan: ExecutionPlan, size: Bytes): Plan {
  const { least, most } = plan.messages;
  if (size < least || size > most) {
    const message = `the file is for messages of ${formatBytes(least)} to ${formatBytes(most)}, not ${formatBytes(size)}`;
    throw new CccError('unsupported', message, plan.range);
  }
  const scale = scaleFor(plan, chunkBytesOf({ collective: cellCollectiveOf(plan, 1), bulks: 1 }, size));
  const perChunk = scale.chunk / scale.cell;
  const collective = cellCollectiveOf(plan, perChunk);
  const lanes = blockLanesOf(actsOf(new CellLayout(plan, collective, scale)));
  const buffers = plan.gpus.map(({ chunks: { input, output, scratch } }) => {
    return { input: input * perChunk, output: output * perChunk, scratch: scratch * perChunk };
  });
  const header = { name: plan.name, collective, bulks: 1, scratchPerBulk: 1, buffers, rounds: [] };
  return build(plan, lanes).build(header);
}

/**
 * The machine for such messages: connections buffer any number of them, since the runtime has no slots, and lanes do not repeat their program for
 * every slice.
 */
export function machineForMessages(topology: Topology): Topology {
  const { lane } = topology;
  const machine = { ...topology, inflight: undefined };
  return lane === undefined ? machine : { ...machine, lane: { ...lane, slice: Number.POSITIVE_INFINITY } };
}

function build(plan: ExecutionPlan, lanes: readonly GpuLane[]): PlanBuilder {
  const steps = stepsOf(plan, lanes);
  const builder = new PlanBuilder();
  const channels = channelsOf(lanes);
  const peers = new Map(
    lanes.flatMap(({ drafts }) =>
      drafts.flatMap((each) => (each.sent === undefined ? [] : [[each.sent, each.gpu] as const])),
    ),
  );
  const opened = plan.gpus.map(() => 0);
  const numbers = new Map<Draft, number>();
  for (const { gpu, drafts } of lanes) {
    if (drafts.length === 0) continue;
    const lane = builder.openLane(gpu, opened[gpu]++);
    for (const each of drafts) {
      const { kind, slice, range, sent } = each;
      const peer = kind === 'send' ? peers.get(each) : sent?.gpu;
      const step = steps.get(each) ?? 0;
      const channel = channels.get(each.connection ?? '') ?? 0;
      const operation = operationFrom(kind, { peer, channel, src: slice, dst: slice, step, origin: range });
      numbers.set(each, builder.add(lane, operation));
    }
  }
  for (const [each, number] of numbers) {
    for (const earlier of each.after) builder.wait(number, numbers.get(earlier) ?? number);
  }
  return builder;
}

/** The channel number of each connection, counted from 0 for each pair of gpus. */
function channelsOf(lanes: readonly GpuLane[]): ReadonlyMap<string, number> {
  const channels = new Map<string, number>();
  const used = new Map<string, number>();
  for (const { connection = '', sent, gpu } of lanes.flatMap(({ drafts }) => drafts)) {
    if (sent === undefined || channels.has(connection)) continue;
    const pair = `${sent.gpu} ${gpu}`;
    const next = used.get(pair) ?? 0;
    used.set(pair, next + 1);
    channels.set(connection, next);
  }
  return channels;
}

/** The step of each operation: the length of the longest chain of operations before it. */
function stepsOf(plan: ExecutionPlan, lanes: readonly GpuLane[]): ReadonlyMap<Draft, number> {
  const next = new Map<Draft, Draft[]>();
  const waiting = new Map<Draft, number>();
  const all = lanes.flatMap(({ drafts }) => drafts);
  for (const each of all) next.set(each, []);
  for (const { drafts } of lanes) {
    drafts.forEach((each, index) => {
      const before = [
        ...each.after,
        ...(each.sent === undefined ? [] : [each.sent]),
        ...(index === 0 ? [] : [drafts[index - 1]]),
      ];
      waiting.set(each, before.length);
      for (const earlier of before) next.get(earlier)?.push(each);
    });
  }
  const steps = new Map<Draft, number>();
  const open = all.filter((each) => waiting.get(each) === 0);
  for (const each of open) steps.set(each, 0);
  for (let at = 0; at < open.length; at++) {
    const step = steps.get(open[at]) ?? 0;
    for (const later of next.get(open[at]) ?? []) {
      steps.set(later, Math.max(step + 1, steps.get(later) ?? 0));
      const left = (waiting.get(later) ?? 0) - 1;
      waiting.set(later, left);
      if (left === 0) open.push(later);
    }
  }
  if (open.length === all.length) return steps;
  const message =
    'threads of its blocks must run ahead of others, which lanes that do one thing after the other cannot';
  throw new CccError('unsupported', message, plan.range);
}
