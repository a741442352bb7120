/**
 * A slow, plain simulator of machines with lanes, for tests: at every instant it looks at everything. Written from the rules of docs/time-model.md, with
 * objects that know their own instants; exact where all durations are exactly representable.
 */
import { messageChunks } from '../../../src/ir/collective.ts';
import type { LaneModel } from '../../../src/ir/lanes.ts';
import { type Operation, operationAt, type Plan } from '../../../src/ir/plan.ts';
import type { Routes } from '../../../src/ir/routes.ts';

/** A message from when its send has been accepted. */
interface Message {
  readonly connection: string;
  readonly from: number;
  readonly to: number;
  readonly links: readonly number[];
  readonly alpha: number;
  readonly beta: number;
  readonly bytes: number;
  readonly order: readonly number[];
  /** When its lane reached its send, with room: t. */
  readonly reached: number;
  /** When it entered its links: s. */
  entered?: number;
  /** When its lane is done with it: d. */
  laneDone?: number;
  arrives?: number;
  /** From when its receive may take it. */
  seen?: number;
  delivered: boolean;
}

interface Lane {
  readonly rank: number;
  readonly id: number;
  readonly row: number;
  readonly ops: readonly Operation[];
  at: number;
  bulk: number;
  /** What it does with its current operation, undefined before it has begun. */
  doing?:
    | { readonly kind: 'sending'; readonly message: Message }
    | { readonly kind: 'receiving'; readonly since: number }
    | { readonly kind: 'working'; readonly since: number; readonly laneEnd: number; engineEnd?: number };
}

export function slowLanedSimulate(plan: Plan, routes: Routes, size: number): number {
  const { lane } = routes.topology;
  if (lane === undefined) throw new Error('a machine without lanes');
  const chunk = size / messageChunks(plan.collective) / plan.bulks;
  const slices = Math.max(1, Math.ceil(chunk / lane.slice));
  return new SlowLanes({ ...plan, bulks: plan.bulks * slices }, routes, lane, chunk / slices).run();
}

class SlowLanes {
  private now: number;
  private last: number;
  private readonly lanes: Lane[] = [];
  private readonly messages: Message[] = [];
  private readonly done = new Map<string, number>();

  private readonly plan: Plan;
  private readonly routes: Routes;
  private readonly lane: LaneModel;
  private readonly chunk: number;

  constructor(plan: Plan, routes: Routes, lane: LaneModel, chunk: number) {
    this.plan = plan;
    this.routes = routes;
    this.lane = lane;
    this.chunk = chunk;
    this.now = this.last = routes.topology.launch ?? 0;
    for (let rank = 0; rank < plan.collective.ranks; rank++) {
      for (let row = plan.firstLane[rank]; row < plan.firstLane[rank + 1]; row++) {
        const ops: Operation[] = [];
        for (let o = plan.firstOp[row]; o < plan.firstOp[row + 1]; o++) ops.push(operationAt(plan, o));
        this.lanes.push({ rank, id: plan.laneId[row], row, ops, at: 0, bulk: 0 });
      }
    }
  }

  run(): number {
    for (;;) {
      while (this.lanes.some((lane) => this.step(lane)) || this.giveEngine());
      if (this.startMessage()) continue;
      const later = this.instants().filter((time) => time > this.now);
      if (later.length === 0) break;
      this.now = Math.min(...later);
    }
    if (this.lanes.some((lane) => !this.isFinished(lane))) throw new Error('deadlock');
    return this.last;
  }

  /** All instants at which anything may become possible. */
  private instants(): number[] {
    const ofMessages = this.messages.flatMap((m) => [
      m.laneDone ?? 0,
      m.arrives ?? 0,
      this.readyAt(m),
      ...(m.entered === undefined ? [] : m.links.map((link) => this.linkFree(m, link))),
    ]);
    const ofLanes = this.lanes.map((lane) => {
      if (lane.doing?.kind === 'receiving') return this.receivedAt(lane) ?? 0;
      return lane.doing?.kind === 'working' ? Math.max(lane.doing.laneEnd, lane.doing.engineEnd ?? 0) : 0;
    });
    const ofEngines = this.lanes.map((lane) => (lane.doing?.kind === 'working' ? (lane.doing.engineEnd ?? 0) : 0));
    return [...ofMessages, ...ofLanes, ...ofEngines];
  }

  private isFinished(lane: Lane): boolean {
    return lane.ops.length === 0 || lane.bulk === this.plan.bulks;
  }

  /** Lets a lane begin or complete its operation; true if it did. */
  private step(lane: Lane): boolean {
    if (this.isFinished(lane)) return false;
    const op = lane.ops[lane.at];
    const { doing } = lane;
    if (doing === undefined) return this.begin(lane, op);
    if (doing.kind === 'sending') {
      const { message } = doing;
      const isDone = this.isRendezvous ? message.delivered : (message.laneDone ?? Number.POSITIVE_INFINITY) <= this.now;
      return isDone && this.complete(lane);
    }
    if (doing.kind === 'receiving') {
      const end = this.receivedAt(lane);
      if (end === undefined || end > this.now) return false;
      const message = this.nextFor(lane);
      if (message !== undefined) message.delivered = true;
      return op.op === 'recvReduce' ? this.work(lane, op) : this.complete(lane);
    }
    const wantsEngine = this.engineOf(lane) !== undefined;
    if (wantsEngine && doing.engineEnd === undefined) return false;
    return Math.max(doing.laneEnd, doing.engineEnd ?? 0) <= this.now && this.complete(lane);
  }

  private begin(lane: Lane, op: Operation): boolean {
    const met = op.after.every((wait) => {
      const completed = this.done.get(`${lane.rank} ${wait.lane} ${wait.index}`) ?? 0;
      return completed > lane.bulk - wait.bulks;
    });
    if (!met) return false;
    if (op.op === 'copy' || op.op === 'reduce') return this.work(lane, op);
    if (op.op !== 'send') {
      lane.doing = { kind: 'receiving', since: this.now };
      return true;
    }
    const connection = `${lane.rank} ${op.peer} ${op.channel}`;
    const held = this.messages.filter((m) => m.connection === connection && !m.delivered).length;
    if (held >= Math.max(1, this.routes.topology.inflight ?? Number.POSITIVE_INFINITY)) return false;
    const route = this.routes.between(lane.rank, op.peer, op.channel);
    if (route === undefined) throw new Error('no route');
    const message: Message = {
      connection,
      from: lane.rank,
      to: op.peer,
      links: route.links,
      alpha: route.latency,
      beta: route.bandwidth,
      bytes: op.src.count * this.chunk,
      order: [lane.bulk, op.step, lane.rank, lane.row, lane.at],
      reached: this.now,
      delivered: false,
    };
    // A proxy takes the bytes from the lane, whatever its links do.
    if (this.isBuffered(message))
      message.laneDone = this.now + this.paceOf(message).overhead + message.bytes / this.paceOf(message).bandwidth;
    this.messages.push(message);
    lane.doing = { kind: 'sending', message };
    return true;
  }

  private work(lane: Lane, op: Operation): boolean {
    const bytes = op.op === 'send' ? 0 : op.dst.count * this.chunk;
    const { overhead, bandwidth } = this.lane.local;
    lane.doing = { kind: 'working', since: this.now, laneEnd: this.now + overhead + bytes / bandwidth };
    return true;
  }

  private complete(lane: Lane): boolean {
    const key = `${lane.rank} ${lane.id} ${lane.at}`;
    this.done.set(key, (this.done.get(key) ?? 0) + 1);
    delete lane.doing;
    if (++lane.at === lane.ops.length) {
      lane.at = 0;
      lane.bulk++;
    }
    this.last = this.now;
    return true;
  }

  // --- messages ---

  private get isRendezvous(): boolean {
    return this.routes.topology.inflight === 0;
  }

  private isBuffered({ links }: Message): boolean {
    return links.some((link) => this.routes.topology.links[link].lane?.buffered === true);
  }

  /** o and B: those of long messages for more bytes than `above`. */
  private paceOf({ bytes }: Message): { readonly overhead: number; readonly bandwidth: number } {
    const { long } = this.lane;
    return long === undefined || bytes <= long.above ? this.lane : long;
  }

  /** The bandwidth that one connection has through its proxies. */
  private connectionRate({ links }: Message): number {
    return Math.min(
      ...links.map((link) => this.routes.topology.links[link].lane?.bandwidth ?? Number.POSITIVE_INFINITY),
    );
  }

  /** The lane that is at the receive of a message, its next one. */
  private receiverOf(message: Message): Lane | undefined {
    return this.lanes.find((lane) => lane.doing?.kind === 'receiving' && this.nextFor(lane) === message);
  }

  private nextFor(lane: Lane): Message | undefined {
    const op = lane.ops[lane.at];
    if (op.op !== 'recv' && op.op !== 'recvReduce') return undefined;
    return this.messages.find((m) => m.connection === `${op.peer} ${lane.rank} ${op.channel}` && !m.delivered);
  }

  /** done at max(arrival, begin + n/B) + o */
  private receivedAt(lane: Lane): number | undefined {
    const message = this.nextFor(lane);
    if (message?.arrives === undefined || message.seen === undefined || lane.doing?.kind !== 'receiving')
      return undefined;
    const begin = Math.max(lane.doing.since, message.seen);
    const { overhead, bandwidth } = this.paceOf(message);
    return Math.max(message.arrives, begin + message.bytes / bandwidth) + overhead;
  }

  /** When a message may enter its links as far as its lane, its proxy and its receiver are concerned. */
  private readyAt(message: Message): number {
    if (!this.isBuffered(message)) {
      if (!this.isRendezvous) return message.reached;
      const receiver = this.receiverOf(message);
      return receiver?.doing?.kind === 'receiving' ? Math.max(message.reached, receiver.doing.since) : Number.NaN;
    }
    const { visible } = this.lane;
    const { overhead, bandwidth } = this.paceOf(message);
    const moving = message.bytes / bandwidth;
    let ready = Math.max(message.reached + overhead, message.reached + overhead + moving - visible * moving);
    for (const earlier of this.messages.slice(0, this.messages.indexOf(message))) {
      if (earlier.connection !== message.connection) continue;
      if (earlier.entered === undefined) return Number.NaN;
      const gaps = earlier.links.map((link) => {
        const { lane } = this.routes.topology.links[link];
        const { above = Number.POSITIVE_INFINITY, gap = 0 } = lane?.rendezvous ?? {};
        return (lane?.gap ?? 0) + (earlier.bytes > above ? gap : 0);
      });
      ready = Math.max(ready, earlier.entered + Math.max(...gaps) + earlier.bytes / this.connectionRate(earlier));
    }
    return ready;
  }

  private startMessage(): boolean {
    const waiting = this.messages.filter((m) => m.entered === undefined).sort((a, b) => compare(a.order, b.order));
    const message = waiting.find((m) => this.readyAt(m) <= this.now && this.isFree(m));
    if (message === undefined) return false;
    const { visible } = this.lane;
    const { overhead, bandwidth } = this.paceOf(message);
    const { bytes, alpha, beta } = message;
    const ready = this.readyAt(message);
    message.entered = this.now;
    const visibleTime = (visible * bytes) / bandwidth;
    if (this.isBuffered(message)) {
      const rate = Math.min(beta, this.connectionRate(message));
      const through = Math.max(message.laneDone ?? 0, this.now + bytes / rate);
      message.arrives = through + alpha;
      message.seen = Math.max(this.now, through - visibleTime) + alpha;
    } else {
      message.laneDone = Math.max(ready + overhead + bytes / bandwidth, this.now + bytes / beta);
      message.arrives = message.laneDone + alpha;
      message.seen = message.arrives - visibleTime;
    }
    return true;
  }

  private isFlying(message: Message): boolean {
    return message.entered !== undefined && this.now < (message.arrives ?? 0);
  }

  private linkFree(message: Message, link: number): number {
    const { occupancy, bandwidth } = this.routes.topology.links[link];
    return occupancy === 'blocking' ? (message.arrives ?? 0) : (message.entered ?? 0) + message.bytes / bandwidth;
  }

  /** Whether links, ports and chips let a message in. */
  private isFree(message: Message): boolean {
    const { nodes, chips } = this.routes.topology;
    const flying = this.messages.filter((m) => this.isFlying(m));
    const [sender, receiver] = [nodes[chips[message.from]], nodes[chips[message.to]]];
    if (flying.filter((m) => m.from === message.from).length >= sender.ports.send) return false;
    if (flying.filter((m) => m.to === message.to).length >= receiver.ports.receive) return false;
    const isSilent = [message.from, message.to].some(
      (rank) => nodes[chips[rank]].reduce?.overlap === false && this.isEngineBusy(rank, false),
    );
    if (isSilent) return false;
    const others = this.messages.filter((m) => m.entered !== undefined);
    return message.links.every((link) =>
      others.every((m) => !m.links.includes(link) || this.linkFree(m, link) <= this.now),
    );
  }

  // --- engines ---

  private engineOf(lane: Lane) {
    const { nodes, chips } = this.routes.topology;
    return nodes[chips[lane.rank]][lane.ops[lane.at].op === 'copy' ? 'copy' : 'reduce'];
  }

  private isEngineBusy(rank: number, copies: boolean): boolean {
    return this.lanes.some(({ rank: own, ops, at, doing }) => {
      if (own !== rank || doing?.kind !== 'working' || doing.engineEnd === undefined) return false;
      return (ops[at].op === 'copy') === copies && this.now < doing.engineEnd;
    });
  }

  /** Gives a free engine to the lane that has waited for it longest; true if one was given. */
  private giveEngine(): boolean {
    const waiting = this.lanes.flatMap((lane) => {
      const { doing } = lane;
      if (this.isFinished(lane) || doing?.kind !== 'working' || doing.engineEnd !== undefined) return [];
      const engine = this.engineOf(lane);
      if (engine === undefined) return [];
      const order = [doing.since, lane.bulk, lane.ops[lane.at].step, lane.rank, lane.row, lane.at];
      return [{ lane, doing, engine, order, copies: lane.ops[lane.at].op === 'copy' }];
    });
    waiting.sort((a, b) => compare(a.order, b.order));
    for (const { lane, doing, engine, copies } of waiting) {
      const first = waiting.find((other) => other.lane.rank === lane.rank && other.copies === copies);
      if (first?.lane !== lane || this.isEngineBusy(lane.rank, copies)) continue;
      const isTalking = this.messages.some((m) => this.isFlying(m) && (m.from === lane.rank || m.to === lane.rank));
      if ('overlap' in engine && !engine.overlap && isTalking) continue;
      const op = lane.ops[lane.at];
      doing.engineEnd = this.now + ((op.op === 'send' ? 0 : op.dst.count) * this.chunk) / engine.throughput;
      return true;
    }
    return false;
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at === -1 ? 0 : a[at] - b[at];
}
