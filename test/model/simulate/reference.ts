/**
 * A slow, plain simulator for tests: at every instant it looks at everything. Written from the rules of docs/architecture.md (the model of time) and docs/plan-format.md, with
 * objects instead of tables and states instead of wait lists; exact where all durations are exactly representable and above zero.
 */
import { messageChunks } from '../../../src/ir/collective.ts';
import { type Operation, operationAt, type Plan } from '../../../src/ir/plan.ts';
import type { Routes } from '../../../src/ir/routes.ts';

interface Lane {
  readonly rank: number;
  readonly id: number;
  readonly row: number;
  readonly ops: readonly Operation[];
  cursor: number;
  bulk: number;
  /** Since when the current operation wants an engine, and until when it has it. */
  wants: number | undefined;
  until: number | undefined;
  /** The send or receive it is at has been announced. */
  reached: boolean;
}

interface Message {
  readonly connection: string;
  readonly channel: number;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  readonly order: readonly number[];
  state: 'waiting' | 'flying' | 'arrived' | 'taken';
  start: number;
  end: number;
}

export function slowSimulate(plan: Plan, routes: Routes, size: number): number {
  return new SlowSimulation(plan, routes, size).run();
}

class SlowSimulation {
  private now = 0;
  private last = 0;
  private readonly lanes: Lane[] = [];
  private readonly messages: Message[] = [];
  private readonly done = new Map<string, number>();
  private readonly chunkBytes: number;

  private readonly plan: Plan;
  private readonly routes: Routes;

  constructor(plan: Plan, routes: Routes, size: number) {
    this.plan = plan;
    this.routes = routes;
    this.chunkBytes = size / messageChunks(plan.collective) / plan.bulks;
    for (let rank = 0; rank < plan.collective.ranks; rank++) {
      for (let row = plan.firstLane[rank]; row < plan.firstLane[rank + 1]; row++) {
        const ops: Operation[] = [];
        for (let o = plan.firstOp[row]; o < plan.firstOp[row + 1]; o++) ops.push(operationAt(plan, o));
        const idle = { cursor: 0, bulk: 0, wants: undefined, until: undefined, reached: false };
        this.lanes.push({ rank, id: plan.laneId[row], row, ops, ...idle });
      }
    }
  }

  run(): number {
    for (;;) {
      this.settle();
      this.startMessages();
      const times = [
        ...this.messages.filter((m) => m.state === 'flying').flatMap((m) => [m.end, ...this.linkTimes(m)]),
        ...this.lanes.flatMap((lane) => lane.until ?? []),
      ].filter((time) => time > this.now);
      if (times.length === 0) break;
      this.now = Math.min(...times);
    }
    if (this.lanes.some((lane) => !this.finished(lane))) throw new Error('deadlock');
    return this.last;
  }

  private finished(lane: Lane): boolean {
    return lane.ops.length === 0 || lane.bulk === this.plan.bulks;
  }

  private settle(): void {
    for (const m of this.messages) if (m.state === 'flying' && m.end <= this.now) m.state = 'arrived';
    for (let changed = true; changed; ) {
      changed = false;
      for (const lane of this.lanes) while (!this.finished(lane) && this.progress(lane)) changed = true;
      if (!changed) changed = this.startEngines();
    }
  }

  private progress(lane: Lane): boolean {
    const op = lane.ops[lane.cursor];
    if (lane.until !== undefined) {
      if (lane.until > this.now) return false;
      return this.complete(lane);
    }
    if (lane.wants !== undefined) return false;
    const met = op.after.every(
      (d) => lane.bulk < d.bulks || this.count(lane.rank, d.lane, d.index) > lane.bulk - d.bulks,
    );
    if (!met) return false;
    switch (op.op) {
      case 'send': {
        const connection = `${lane.rank} ${op.peer} ${op.channel}`;
        const mine = this.messages.filter((m) => m.connection === connection);
        const limit = this.routes.topology.inflight ?? Number.POSITIVE_INFINITY;
        if (limit === 0 && lane.reached) {
          const state = mine[mine.length - 1].state;
          return (state === 'arrived' || state === 'taken') && this.complete(lane);
        }
        if (limit > 0 && mine.filter((m) => m.state !== 'taken').length >= limit) return false;
        this.messages.push({
          connection,
          channel: op.channel,
          from: lane.rank,
          to: op.peer,
          bytes: op.src.count * this.chunkBytes,
          order: [lane.bulk, op.step, lane.rank, lane.row, lane.cursor],
          state: 'waiting',
          start: 0,
          end: 0,
        });
        if (limit > 0) return this.complete(lane);
        lane.reached = true;
        return false;
      }
      case 'recv':
      case 'recvReduce': {
        lane.reached = true;
        const connection = `${op.peer} ${lane.rank} ${op.channel}`;
        const next = this.messages.find((m) => m.connection === connection && m.state !== 'taken');
        if (next?.state !== 'arrived') return false;
        next.state = 'taken';
        return op.op === 'recv' ? this.complete(lane) : this.work(lane);
      }
      case 'copy':
      case 'reduce':
        return this.work(lane);
    }
  }

  private engineOf(lane: Lane) {
    const { nodes, chips } = this.routes.topology;
    return nodes[chips[lane.rank]][lane.ops[lane.cursor].op === 'copy' ? 'copy' : 'reduce'];
  }

  private work(lane: Lane): boolean {
    if (this.engineOf(lane) === undefined) return this.complete(lane);
    lane.wants = this.now;
    return true;
  }

  private complete(lane: Lane): boolean {
    const key = `${lane.rank} ${lane.id} ${lane.cursor}`;
    this.done.set(key, (this.done.get(key) ?? 0) + 1);
    lane.wants = undefined;
    lane.until = undefined;
    lane.reached = false;
    lane.cursor++;
    if (lane.cursor === lane.ops.length) {
      lane.cursor = 0;
      lane.bulk++;
    }
    this.last = this.now;
    return true;
  }

  private count(rank: number, lane: number, index: number): number {
    return this.done.get(`${rank} ${lane} ${index}`) ?? 0;
  }

  private startEngines(): boolean {
    const waiting = this.lanes.filter(
      (lane) => !this.finished(lane) && lane.wants !== undefined && lane.until === undefined,
    );
    const orderOf = (lane: Lane) => [
      lane.wants ?? 0,
      lane.bulk,
      lane.ops[lane.cursor].step,
      lane.rank,
      lane.row,
      lane.cursor,
    ];
    waiting.sort((a, b) => compare(orderOf(a), orderOf(b)));
    for (const lane of waiting) {
      const engine = this.engineOf(lane);
      if (engine === undefined) continue;
      const isCopy = (other: Lane) => other.ops[other.cursor]?.op === 'copy';
      const taken = this.lanes.some((l) => l.rank === lane.rank && l.until !== undefined && isCopy(l) === isCopy(lane));
      if (taken) continue;
      const firstOfEngine = waiting.find((l) => l.rank === lane.rank && isCopy(l) === isCopy(lane));
      if (firstOfEngine !== lane) continue;
      const talking = this.messages.some((m) => m.state === 'flying' && (m.from === lane.rank || m.to === lane.rank));
      if ('overlap' in engine && !engine.overlap && talking) continue;
      const op = lane.ops[lane.cursor];
      const chunks = op.op === 'send' ? 0 : op.dst.count;
      lane.until = this.now + (chunks * this.chunkBytes) / engine.throughput;
      return true;
    }
    return false;
  }

  private startMessages(): void {
    for (;;) {
      const waiting = this.messages.filter((m) => m.state === 'waiting').sort((a, b) => compare(a.order, b.order));
      const message = waiting.find((m) => this.canStart(m));
      if (message === undefined) return;
      const route = this.routes.between(message.from, message.to, message.channel);
      if (route === undefined) throw new Error('no route');
      message.state = 'flying';
      message.start = this.now;
      message.end = this.now + route.latency + message.bytes / route.bandwidth;
    }
  }

  private canStart(message: Message): boolean {
    const { topology } = this.routes;
    const sameConnection = this.messages.filter((m) => m.connection === message.connection);
    if (sameConnection.find((m) => m.state === 'waiting') !== message) return false;
    if (topology.inflight === 0) {
      const receiving = this.lanes.some((lane) => {
        const op = lane.ops[lane.cursor];
        if (this.finished(lane) || lane.rank !== message.to || !lane.reached || lane.wants !== undefined) return false;
        const receives = op.op === 'recv' || op.op === 'recvReduce';
        return receives && `${op.peer} ${lane.rank} ${op.channel}` === message.connection;
      });
      if (!receiving) return false;
    }
    const flying = this.messages.filter((m) => m.state === 'flying');
    const { ports: out } = topology.nodes[topology.chips[message.from]];
    const { ports: into } = topology.nodes[topology.chips[message.to]];
    if (flying.filter((m) => m.from === message.from).length >= out.send) return false;
    if (flying.filter((m) => m.to === message.to).length >= into.receive) return false;
    for (const rank of [message.from, message.to]) {
      if (topology.nodes[topology.chips[rank]].reduce?.overlap !== false) continue;
      if (this.lanes.some((l) => l.rank === rank && l.until !== undefined && l.ops[l.cursor].op !== 'copy'))
        return false;
    }
    const links = this.routes.between(message.from, message.to, message.channel)?.links ?? [];
    // A pipelined link may still be entered while the message that left it behind is on its way elsewhere, or has arrived.
    return links.every((link) =>
      this.messages.every((m) => {
        if (m.state === 'waiting' || !this.linksOf(m).includes(link)) return true;
        const { occupancy, bandwidth } = topology.links[link];
        return occupancy === 'blocking' ? m.state !== 'flying' : m.start + m.bytes / bandwidth <= this.now;
      }),
    );
  }

  private linksOf(message: Message): readonly number[] {
    return this.routes.between(message.from, message.to, message.channel)?.links ?? [];
  }

  private linkTimes(message: Message): number[] {
    return this.linksOf(message).map(
      (link) => message.start + message.bytes / this.routes.topology.links[link].bandwidth,
    );
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at === -1 ? 0 : a[at] - b[at];
}
