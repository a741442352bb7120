/** The links and ports that are left in a step in which all messages go at the same time. */
import type { Route, Routes } from '../../ir/routes.ts';
import type { Transfer } from '../../ir/schedule.ts';
import type { Topology } from '../../ir/topology.ts';
import { arcNetwork } from '../arcs.ts';

/** Chunks of a transfer. */
export function chunksOf({ pieces }: Transfer): number {
  return pieces.reduce((sum, { count }) => sum + count, 0);
}

/** Whether all links are alike and all chips reduce equally fast, and cannot send meanwhile. */
export function isRegular({ nodes, links, chips }: Topology): boolean {
  const [link] = links;
  const [first] = chips.map((chip) => nodes[chip].reduce);
  return (
    links.every(({ bandwidth, occupancy }) => bandwidth === link.bandwidth && occupancy === link.occupancy) &&
    chips.every((chip) => {
      const { reduce } = nodes[chip];
      return reduce?.overlap === false && reduce.throughput === first?.throughput;
    })
  );
}

/** Keeps account of one step at a time. */
export class StepRoom {
  private readonly routes: Routes;
  private readonly regular: boolean;
  /** What the first message takes, as all others must. */
  private latency: number | undefined;
  private readonly usedLinks = new Set<number>();
  private sends = new Int32Array(0);
  private receives = new Int32Array(0);
  private readonly near: readonly (readonly number[])[];

  constructor(routes: Routes) {
    this.routes = routes;
    this.regular = isRegular(routes.topology);
    this.near = sendersNear(routes);
  }

  /** Whether messages of a step take equally long, as those of all steps before, and each has its links and ports for itself. */
  isFor(transfers: readonly Transfer[]): boolean {
    this.clear();
    return this.regular && transfers.every((transfer) => this.fits(transfer));
  }

  /** Begins a step with transfers that fit. */
  enter(transfers: readonly Transfer[]): void {
    this.isFor(transfers);
  }

  /** A rank that can send one more message to this one in the step, which is then taken account of. */
  senderTo(rank: number): number | undefined {
    return this.near[rank].find((source) => this.take(source, rank, 0));
  }

  private fits({ source, destination, channel }: Transfer): boolean {
    return source !== destination && this.take(source, destination, channel);
  }

  private take(source: number, destination: number, channel: number): boolean {
    const route = this.routes.between(source, destination, channel);
    if (route === undefined || !this.isFree(route, source, destination)) return false;
    this.latency ??= route.latency;
    if (route.latency !== this.latency) return false;
    for (const link of route.links) this.usedLinks.add(link);
    this.sends[source]++;
    this.receives[destination]++;
    return true;
  }

  private isFree(route: Route, source: number, destination: number): boolean {
    const { nodes, chips } = this.routes.topology;
    return (
      this.sends[source] < nodes[chips[source]].ports.send &&
      this.receives[destination] < nodes[chips[destination]].ports.receive &&
      route.links.every((link) => !this.usedLinks.has(link))
    );
  }

  private clear(): void {
    const { length } = this.routes.topology.chips;
    this.usedLinks.clear();
    this.sends = new Int32Array(length);
    this.receives = new Int32Array(length);
  }
}

/** Of each rank, those from which a message comes past no other chip. */
function sendersNear(routes: Routes): readonly (readonly number[])[] {
  const { ranks, arcs } = arcNetwork(routes);
  const senders: number[][] = Array.from({ length: ranks }, () => []);
  for (const { from, to } of arcs) senders[to].push(from);
  return senders;
}
