/** The time for which one bulk of a plan occupies each resource of a machine: a lower bound on the time between consecutive bulks. */
import { paceOf } from '../../../ir/lanes.ts';
import { OperationCode, type Plan, planBuffers, rankOfLane } from '../../../ir/plan.ts';
import type { ResourceKind, ResourceLoad } from '../../../ir/report.ts';
import type { Routes } from '../../../ir/routes.ts';
import { chunkBytesOf } from '../../../ir/shards.ts';
import type { Topology } from '../../../ir/topology.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { findConnections, messageDuration } from '../../simulate/connections.ts';
import { type OperationWeights, weigh } from '../../simulate/weights.ts';

/**
 * The seconds for which one bulk of a plan occupies each resource that it uses, in descending order:
 * - a link, as long as its messages occupy it;
 * - the send or receive ports of a chip: the time of its messages divided by its number of ports;
 * - a reduce or copy engine (for a duplex engine its busier side);
 * - a chip that cannot reduce while it communicates: its reductions plus the messages of its own on its busiest link;
 * - on machines with lanes, the busiest lane of each chip.
 *
 * @param size bytes of the whole message (M), of which each bulk is an equal share
 * @throws Error if sends and receives do not match or a route is missing: verify the plan first
 */
export function bulkLoads(plan: Plan, routes: Routes, size: Bytes): readonly ResourceLoad[] {
  const { topology } = routes;
  const chunkBytes = chunkBytesOf(plan, size, topology.messages?.alignment);
  const connections = findConnections(plan, routes);
  const { sent, written } = weigh(plan, size, topology.messages);
  const loads = new Loads(topology);
  const { firstSend, sends } = connections;
  for (let c = 0; c < connections.count; c++) {
    const links = connections.routeLink.subarray(connections.firstRouteLink[c], connections.firstRouteLink[c + 1]);
    for (let s = firstSend[c]; s < firstSend[c + 1]; s++) {
      const bytes = sent[sends[s]] * chunkBytes;
      loads.addMessage(links, bytes, messageDuration(connections, c, bytes));
    }
  }
  const { kind, dstBuffer } = plan.ops;
  for (let lane = 0; lane < plan.laneId.length; lane++) {
    const node = topology.chips[rankOfLane(plan, lane)];
    for (let op = plan.firstOp[lane]; op < plan.firstOp[lane + 1]; op++) {
      const bytes = written[op] * chunkBytes;
      if (kind[op] === OperationCode.copy) loads.addCopy(node, bytes, dstBuffer[op] === scratch);
      else if (kind[op] === OperationCode.reduce || kind[op] === OperationCode.recvReduce)
        loads.addReduction(node, bytes);
    }
  }
  return [...loads.list(), ...laneLoads(plan, topology, { sent, written }, chunkBytes)].sort(
    (a, b) => b.seconds - a.seconds,
  );
}

/**
 * The time for which the busiest lane of each chip executes its operations: an overhead and the bytes of each, with slices and the local work of
 * reductions included.
 */
function laneLoads(
  plan: Plan,
  topology: Topology,
  { sent, written }: OperationWeights,
  chunkBytes: Bytes,
): readonly ResourceLoad[] {
  const { lane: model } = topology;
  if (model === undefined) return [];
  const slices = Math.max(1, Math.ceil(chunkBytes / model.slice));
  const busiest = new Map<number, Seconds>();
  for (let lane = 0; lane < plan.laneId.length; lane++) {
    let seconds = 0;
    for (let op = plan.firstOp[lane]; op < plan.firstOp[lane + 1]; op++) {
      const kind = plan.ops.kind[op];
      const bytes = (sent[op] + written[op]) * chunkBytes;
      const moves = kind === OperationCode.send || kind === OperationCode.recv || kind === OperationCode.recvReduce;
      const works = kind !== OperationCode.send && kind !== OperationCode.recv;
      if (moves) {
        const { overhead, bandwidth } = paceOf(model, bytes / slices);
        seconds += slices * overhead + bytes / bandwidth;
      }
      if (works) seconds += slices * model.local.overhead + bytes / model.local.bandwidth;
    }
    const node = topology.chips[rankOfLane(plan, lane)];
    busiest.set(node, Math.max(seconds, busiest.get(node) ?? 0));
  }
  return [...busiest]
    .map(([index, seconds]): ResourceLoad => ({ kind: 'lane', index, seconds }))
    .filter(({ seconds }) => seconds > 0);
}

const scratch = planBuffers.indexOf('scratch');

/** Accumulates the occupancy of resources by messages, reductions and copies. */
class Loads {
  private readonly topology: Topology;
  private readonly onLink: Float64Array;
  /** By link: its occupancy by messages that begin at its source (`leaving`) or end at its target (`entering`), without those that pass through. */
  private readonly leaving: Float64Array;
  private readonly entering: Float64Array;
  private readonly sending: Float64Array;
  private readonly receiving: Float64Array;
  private readonly reducing: Float64Array;
  private readonly copyingIn: Float64Array;
  private readonly copyingOut: Float64Array;

  constructor(topology: Topology) {
    const { nodes, links } = topology;
    this.topology = topology;
    this.onLink = new Float64Array(links.length);
    this.leaving = new Float64Array(links.length);
    this.entering = new Float64Array(links.length);
    this.sending = new Float64Array(nodes.length);
    this.receiving = new Float64Array(nodes.length);
    this.reducing = new Float64Array(nodes.length);
    this.copyingIn = new Float64Array(nodes.length);
    this.copyingOut = new Float64Array(nodes.length);
  }

  addMessage(route: Int32Array, bytes: Bytes, duration: Seconds): void {
    const { links } = this.topology;
    const held = (link: number): Seconds =>
      links[link].occupancy === 'blocking' ? duration : bytes / links[link].bandwidth;
    for (const link of route) this.onLink[link] += held(link);
    const [first, last] = [route[0], route[route.length - 1]];
    this.leaving[first] += held(first);
    this.entering[last] += held(last);
    this.sending[links[first].from] += duration;
    this.receiving[links[last].to] += duration;
  }

  addReduction(node: number, bytes: Bytes): void {
    const { reduce } = this.topology.nodes[node];
    if (reduce !== undefined) this.reducing[node] += bytes / reduce.throughput;
  }

  addCopy(node: number, bytes: Bytes, intoScratch: boolean): void {
    const { copy } = this.topology.nodes[node];
    if (copy === undefined) return;
    const side = copy.duplex === true && intoScratch ? this.copyingIn : this.copyingOut;
    side[node] += bytes / copy.throughput;
  }

  list(): readonly ResourceLoad[] {
    const { nodes, links } = this.topology;
    const loads: ResourceLoad[] = links.map((_, index) => ({ kind: 'link', index, seconds: this.onLink[index] }));
    nodes.forEach(({ ports, reduce }, index) => {
      const add = (kind: ResourceKind, seconds: Seconds): number => loads.push({ kind, index, seconds });
      add('send port', this.sending[index] / ports.send);
      add('receive port', this.receiving[index] / ports.receive);
      add('reduce engine', this.reducing[index]);
      add('copy engine', Math.max(this.copyingIn[index], this.copyingOut[index]));
      if (reduce?.overlap === false && this.reducing[index] > 0)
        add('chip', this.reducing[index] + this.ownTraffic(index));
    });
    return loads.filter(({ seconds }) => seconds > 0).sort((a, b) => b.seconds - a.seconds);
  }

  /** The maximum occupancy of a link of the node by messages that begin or end at the node. */
  private ownTraffic(node: number): Seconds {
    return this.topology.links.reduce((most, { from, to }, link) => {
      const own = Math.max(from === node ? this.leaving[link] : 0, to === node ? this.entering[link] : 0);
      return Math.max(most, own);
    }, 0);
  }
}
