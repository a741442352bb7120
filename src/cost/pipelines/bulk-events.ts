/** One bulk of a plan as a scheduling problem: events, what they wait for, and what they keep busy from when they happen. */
import { OperationCode, operationCount, type Plan, planBuffers, rankOfLane } from '../../ir/plan.ts';
import type { Routes } from '../../ir/routes.ts';
import { chunkBytesOf } from '../../ir/shards.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { type Connections, findConnections, messageDuration } from '../simulation/connections.ts';
import { weigh } from '../simulation/weights.ts';
import type { Precedences } from './cycle-ratio.ts';
import { waitsBetween } from './recurrence.ts';

/** From when an event happens, so much of a resource is taken for so long. */
export interface ResourceUse {
  readonly resource: number;
  readonly seconds: Seconds;
  readonly amount: number;
}

export interface BulkEvents {
  /** A send's message starts at event 3 · operation + 1; reductions and copies begin there too. */
  readonly waits: Precedences;
  /** By event; most need nothing. */
  readonly uses: readonly (readonly ResourceUse[])[];
  /** How much there is of each resource. */
  readonly capacity: Float64Array;
}

const scratch = planBuffers.indexOf('scratch');

/** @param size bytes of the whole message, of which each bulk is an equal share */
export function bulkEvents(plan: Plan, routes: Routes, size: Bytes): BulkEvents {
  const { topology } = routes;
  const connections = findConnections(plan, routes);
  const { sent, written } = weigh(plan, connections, size, topology.messages);
  const chunkBytes = chunkBytesOf(plan, size, topology.messages?.alignment);
  const resources = new Resources(topology);
  const { kind, dstBuffer } = plan.ops;
  const uses: ResourceUse[][] = Array.from({ length: 3 * operationCount(plan) }, () => []);
  for (let lane = 0; lane < plan.laneId.length; lane++) {
    const node = topology.chips[rankOfLane(plan, lane)];
    for (let o = plan.firstOp[lane]; o < plan.firstOp[lane + 1]; o++) {
      const bytes = written[o] * chunkBytes;
      if (kind[o] === OperationCode.send) {
        uses[3 * o + 1] = resources.ofMessage(connections, connections.of[o], sent[o] * chunkBytes);
      } else if (kind[o] === OperationCode.copy) {
        uses[3 * o + 1] = resources.ofCopy(node, bytes, dstBuffer[o] === scratch);
      } else if (kind[o] !== OperationCode.recv) {
        uses[3 * o + 1] = resources.ofReduction(node, bytes);
      }
    }
  }
  return { waits: waitsBetween(plan, routes, size), uses, capacity: resources.capacity };
}

/** Resources of a node, by their place among them; they stand behind all links. */
const nodePlaces = {
  sendPorts: 0,
  receivePorts: 1,
  reduceEngine: 2,
  copyEngine: 3,
  copyIntoScratch: 4,
  gate: 5,
} as const;
const perNode = 6;

/**
 * What a message takes of the gate of a chip that cannot reduce while it sends or receives: any number of them fit together, but none
 * while a reduction has all of it.
 */
const littleOfGate = 2 ** -20;

class Resources {
  readonly capacity: Float64Array;
  private readonly topology: Topology;

  constructor(topology: Topology) {
    const { nodes, links } = topology;
    this.topology = topology;
    this.capacity = new Float64Array(links.length + perNode * nodes.length).fill(1);
    nodes.forEach(({ ports }, node) => {
      this.capacity[this.of(node, 'sendPorts')] = ports.send;
      this.capacity[this.of(node, 'receivePorts')] = ports.receive;
    });
  }

  ofMessage(connections: Connections, connection: number, bytes: Bytes): ResourceUse[] {
    const { links, nodes, chips } = this.topology;
    const { firstRouteLink, routeLink, sender, receiver } = connections;
    const duration = messageDuration(connections, connection, bytes);
    const uses: ResourceUse[] = [];
    for (let r = firstRouteLink[connection]; r < firstRouteLink[connection + 1]; r++) {
      const { occupancy, bandwidth } = links[routeLink[r]];
      const seconds = occupancy === 'blocking' ? duration : bytes / bandwidth;
      uses.push({ resource: routeLink[r], seconds, amount: 1 });
    }
    const [from, to] = [chips[sender[connection]], chips[receiver[connection]]];
    uses.push({ resource: this.of(from, 'sendPorts'), seconds: duration, amount: 1 });
    uses.push({ resource: this.of(to, 'receivePorts'), seconds: duration, amount: 1 });
    for (const node of [from, to]) {
      if (nodes[node].reduce?.overlap !== false) continue;
      uses.push({ resource: this.of(node, 'gate'), seconds: duration, amount: littleOfGate });
    }
    return uses.filter(({ resource, seconds }) => seconds > 0 && Number.isFinite(this.capacity[resource]));
  }

  ofReduction(node: number, bytes: Bytes): ResourceUse[] {
    const { reduce } = this.topology.nodes[node];
    if (reduce === undefined || bytes === 0) return [];
    const seconds = bytes / reduce.throughput;
    const engine = { resource: this.of(node, 'reduceEngine'), seconds, amount: 1 };
    return reduce.overlap ? [engine] : [engine, { resource: this.of(node, 'gate'), seconds, amount: 1 }];
  }

  ofCopy(node: number, bytes: Bytes, intoScratch: boolean): ResourceUse[] {
    const { copy } = this.topology.nodes[node];
    if (copy === undefined || bytes === 0) return [];
    const side = copy.duplex === true && intoScratch ? 'copyIntoScratch' : 'copyEngine';
    return [{ resource: this.of(node, side), seconds: bytes / copy.throughput, amount: 1 }];
  }

  private of(node: number, which: keyof typeof nodePlaces): number {
    return this.topology.links.length + perNode * node + nodePlaces[which];
  }
}
