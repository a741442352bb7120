/** The command lists of a plan: the commands of each queue of each chip, in order (docs/sg2260.md). */
import { OperationCode, type Plan } from '../../ir/plan.ts';
import { PlanIndex } from '../../ir/plan-index.ts';
import type { Topology } from '../../ir/topology.ts';
import type { OpenBundle, PlanBundle } from '../emitter.ts';
import { emitLimits } from '../limits.ts';
import { Addresses, type RankRegions } from './addresses.ts';
import { type CommandQueues, cutInstances } from './cut.ts';
import { isLive } from './live.ts';
import { type EmittedQueue, type OperationQueues, queuesOf } from './queues.ts';
import { type Rows, type RowsMove, rowMovesOf } from './shapes.ts';
import { type Signals, signalsOf } from './signals.ts';

export interface EmittedCommand {
  readonly op: 'send' | 'receive' | 'receive-reduce' | 'copy' | 'reduce';
  readonly bulk: number;
  readonly from?: Rows;
  readonly to?: Rows;
  /** Signal numbers for which the command waits, and numbers that it signals on completion. */
  readonly waits: readonly number[];
  readonly posts: readonly number[];
}

export interface CommandQueue extends Omit<EmittedQueue, 'entries'> {
  commands(): Iterable<EmittedCommand>;
}

export interface EmittedCommandLists {
  readonly regions: readonly RankRegions[];
  readonly queues: readonly CommandQueue[];
}

/** The parts of a bundle from which command lists are made. */
type ScheduledPlan = Pick<OpenBundle, 'plan' | 'topology' | 'size' | 'dtype' | 'timeline'>;

/** The command lists, or the reason why there are none. */
export function commandListsOf({ plan, topology, size, dtype, timeline }: ScheduledPlan): EmittedCommandLists | string {
  const messages = topology?.messages;
  if (topology === undefined || messages === undefined || size === undefined || timeline === undefined) {
    return 'it needs a size and a machine that states limits of messages (--topo sg2260x4)';
  }
  if (dtype === undefined) return 'it needs an element type (--dtype)';
  const duplex = topology.nodes[topology.chips[0]].copy?.duplex === true;
  const { start } = timeline();
  const inProgramOrder = new Float64Array(start.length);
  for (const [by, starts] of [
    ['send', start],
    ['receive', start],
    ['send', inProgramOrder],
  ] as const) {
    const queues = queuesOf(plan, starts, duplex, by);
    const inFirst = queues.order.filter((instance) => instance < queues.operations);
    const addresses = new Addresses(plan, { size, dtype, alignment: messages.alignment }, inFirst, queues.partner);
    const commands = cutInstances(queues, (instance) => movesIn(plan, instance, queues, addresses));
    // Other commands could not wait for an instance without commands.
    if (commands.first.some((next, i) => i > 0 && next === commands.first[i - 1])) {
      return 'some of its operations move no bytes, and engines have no commands for these (compile leaves them out)';
    }
    const signals = signalsOf(commands, messages.ids);
    if (signals === undefined) {
      return `chips have more pairs of queues that wait for each other than their ${messages.ids} message ids`;
    }
    if (isLive(commands, topology.inflight, signals.added)) return listsIn(plan, queues, commands, signals, addresses);
  }
  return 'messages between two chips would have to overtake each other on their port (another --bulks or --engine may help)';
}

function listsIn(
  plan: Plan,
  queues: OperationQueues,
  { first }: CommandQueues,
  { waits, posts }: Signals,
  addresses: Addresses,
): EmittedCommandLists {
  function* commandsOf(entries: readonly number[]): Iterable<EmittedCommand> {
    for (const instance of entries) {
      const operation = instance % queues.operations;
      const bulk = (instance - operation) / queues.operations;
      const op = names[plan.ops.kind[operation]];
      for (const [i, { from, to }] of movesIn(plan, instance, queues, addresses).entries()) {
        yield {
          ...{ op, bulk },
          ...(op === 'receive' || op === 'receive-reduce' ? {} : { from }),
          ...(op === 'send' ? {} : { to }),
          waits: waits.get(first[instance] + i) ?? [],
          posts: posts.get(first[instance] + i) ?? [],
        };
      }
    }
  }
  return {
    regions: plan.buffers.map((_, rank) => addresses.regionsOf(rank)),
    queues: queues.queues.map(({ entries, ...queue }) => ({ ...queue, commands: () => commandsOf(entries) })),
  };
}

/** Names of operations, by code. */
const names = ['copy', 'reduce', 'send', 'receive', 'receive-reduce'] as const;

/** The byte ranges that an instance moves. Both ends of a message divide it in the same way. */
function movesIn(
  plan: Plan,
  instance: number,
  { operations, partner }: OperationQueues,
  addresses: Addresses,
): readonly RowsMove[] {
  const bulk = Math.floor(instance / operations);
  const o = instance % operations;
  const isReceive = plan.ops.kind[o] >= OperationCode.recv;
  const other = partner[instance] < 0 ? o : partner[instance] % operations;
  const [source, target] = isReceive ? [other, o] : [o, other];
  const { from, to } = addresses.runsOf(source, target, bulk);
  return rowMovesOf(from, to);
}

export function lacking({ proved: { plan }, topology }: PlanBundle): readonly string[] {
  const lacks: string[] = [];
  const { ops, bulks } = plan;
  if (topology?.inflight === 0) lacks.push('its ports hold at least one message');
  if (ops.kind.length * bulks > emitLimits.commands) {
    lacks.push(`${ops.kind.length * bulks} commands are more than ${emitLimits.commands} (--bulks makes fewer)`);
  }
  lacks.push(...missingLinks(plan, topology));
  return lacks;
}

/** Finds messages between chips that are not linked. A link may lead over switches. */
function missingLinks(plan: Plan, topology: Topology | undefined): readonly string[] {
  if (topology === undefined) return [];
  const reached = topology.chips.map((chip) => reachedFrom(topology, chip));
  const { connections, ends } = PlanIndex.of(plan);
  for (let c = 0; c < connections.count; c++) {
    const [from, to] = [ends.sender[c], ends.receiver[c]];
    if (reached[from].has(topology.chips[to])) continue;
    return [
      `rank ${from} has no link to rank ${to}, and its chips do not forward messages (--engine or --algorithm takes another route)`,
    ];
  }
  return [];
}

/** The chips that messages of a chip can reach without passing another chip. */
function reachedFrom({ nodes, links }: Topology, chip: number): ReadonlySet<number> {
  const reached = new Set([chip]);
  const open = [chip];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const { from, to } of links) {
      if (from !== node || reached.has(to)) continue;
      reached.add(to);
      if (nodes[to].kind !== 'chip') open.push(to);
    }
  }
  return reached;
}
