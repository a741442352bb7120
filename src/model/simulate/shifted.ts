/**
 * The simulated time of a full plan whose ranks all run one program, shifted, on a machine that looks the same from every chip. It simulates one chip
 * whose links lead back to itself (docs/compact.md says why its times are those of every chip).
 */

import { chipsAreAlike } from '../../graph/alike-chips.ts';
import { type CompactPlan, type SymmetricTopology, shiftedConnections, soleProgram } from '../../ir/compact.ts';
import { OperationCode, type OperationTable, type Plan } from '../../ir/plan.ts';
import type { CostReport, PathStep } from '../../ir/report.ts';
import type { Routes } from '../../ir/routes.ts';
import { chunkBytesOf } from '../../ir/shards.ts';
import { isPlain, type Node, type Topology } from '../../ir/topology.ts';
import { TranslationGroup } from '../../ir/translation-group.ts';
import type { Bytes } from '../../ir/units.ts';
import { findConnections } from './connections.ts';
import { quotientConnections, quotientTopology } from './quotient.ts';
import { simulate } from './simulate.ts';
import { Simulation } from './simulation.ts';
import { measureTraffic } from './traffic.ts';
import { weigh } from './weights.ts';

/**
 * Computes the result of `simulate`, in less time if the machine is symmetric.
 * @param shape the coordinates by which every rank runs rank 0's program shifted, as `lower` derives them from steps with a shape
 */
export function simulateShifted(plan: Plan, shape: readonly number[], routes: Routes, size: Bytes): CostReport {
  const { topology } = routes;
  const { kind, counts } = plan.collective;
  const isShifted = kind === 'allgather' && counts === undefined;
  const machine = isShifted ? seenFromOneChip(topology, shape) : undefined;
  const connections = findConnections(plan, routes);
  // Messages over several links would share them with messages of other ranks, which the quotient does not have.
  const areDirect = connections.firstRouteLink[connections.count] === connections.count;
  if (machine === undefined || !areDirect) return simulate(plan, routes, size);
  const program = firstProgram(plan, shape);
  const folded = quotientConnections(program, machine);
  // With fewer ports than messages, rank numbers would decide which message goes first.
  if (machine.ports.send < folded.count || machine.ports.receive < folded.count) return simulate(plan, routes, size);
  const chunkBytes = chunkBytesOf(plan, size, topology.messages?.alignment);
  const sole = soleProgram(program);
  const simulation = new Simulation(sole, folded, quotientTopology(machine), weigh(sole), chunkBytes);
  simulation.run();
  return {
    seconds: simulation.seconds,
    ...measureTraffic(plan, connections, topology, weigh(plan), chunkBytes),
    criticalPath: unfolded(simulation.criticalPath(), program),
  };
}

/** The program of rank 0 as a compact plan. */
export function firstProgram({ ops, buffers, rounds: _, ...plan }: Plan, shape: readonly number[]): CompactPlan {
  const { firstLane, ...rest } = plan;
  const lanes = firstLane[1];
  const operations = plan.firstOp[lanes];
  const waits = ops.firstAfter[operations];
  const of = (column: Int32Array): Int32Array => column.subarray(0, operations);
  const program: OperationTable = {
    ...{ kind: of(ops.kind), peer: of(ops.peer), channel: of(ops.channel), step: of(ops.step), origin: of(ops.origin) },
    ...{ srcBuffer: of(ops.srcBuffer), srcOffset: of(ops.srcOffset), srcCount: of(ops.srcCount) },
    ...{ dstBuffer: of(ops.dstBuffer), dstOffset: of(ops.dstOffset), dstCount: of(ops.dstCount) },
    ...{ receivedFirst: of(ops.receivedFirst), relay: of(ops.relay) },
    firstAfter: ops.firstAfter.subarray(0, operations + 1),
    ...{ afterOp: ops.afterOp.subarray(0, waits), afterBulks: ops.afterBulks.subarray(0, waits) },
  };
  return {
    ...rest,
    ...{ shape, sharded: false, buffers: buffers[0], ops: program },
    ...{ laneId: plan.laneId.subarray(0, lanes), firstOp: plan.firstOp.subarray(0, lanes + 1) },
  };
}

/**
 * The machine as its first chip sees it. Returns undefined unless all chips see the same, channels hold any number of messages, and no two links of a
 * chip lead to the same chip.
 */
function seenFromOneChip(topology: Topology, shape: readonly number[]): SymmetricTopology | undefined {
  const { name, nodes, links, chips, inflight, staging, notes } = topology;
  if (!isPlain(topology) || inflight !== undefined || staging !== undefined || !chipsAreAlike(topology, shape))
    return undefined;
  const [first] = chips.map((chip) => nodes[chip]);
  if (!nodes.every((node) => haveSameEngines(node, first))) return undefined;
  const generators = links
    .filter(({ from }) => from === chips[0])
    .map((link) => ({ ...link, offset: chips.indexOf(link.to) }))
    .sort((a, b) => a.offset - b.offset);
  if (new Set(generators.map(({ offset }) => offset)).size !== generators.length) return undefined;
  const { ports, reduce, copy } = first;
  return { name, shape, generators, ports, reduce, copy, inflight, notes };
}

function haveSameEngines(a: Node, b: Node): boolean {
  return (
    a.copy?.throughput === b.copy?.throughput &&
    a.copy?.duplex === b.copy?.duplex &&
    a.reduce?.throughput === b.reduce?.throughput &&
    a.reduce?.overlap === b.reduce?.overlap
  );
}

/**
 * Translates a critical path of the program to one of the full plan that ends at rank 0. Each step waits for a step of its own rank, except for a
 * receive that waits for its message, which another rank sends.
 */
function unfolded(path: readonly PathStep[], program: CompactPlan): PathStep[] {
  const { ops, shape } = program;
  const group = new TranslationGroup(shape);
  const { partner } = shiftedConnections(soleProgram(program), group);
  const steps: PathStep[] = [];
  let rank = 0;
  for (let at = path.length - 1; at >= 0; at--) {
    const { operation, bulk } = path[at];
    steps.push({ ...path[at], operation: rank * ops.kind.length + operation });
    const before = path[at - 1]?.operation ?? operation;
    const isOwnMessage =
      ops.kind[operation] >= OperationCode.recv && partner[operation] === before && path[at - 1].bulk === bulk;
    if (isOwnMessage) rank = group.add(rank, ops.peer[operation]);
  }
  return steps.reverse();
}
