/**
 * Translates the blocks of a plan to events. The threads of a block run independently until the next `nop` (or barrier). All threads take part in
 * data movement, which nothing else orders, whereas each signal, wait or semaphore of a list is executed by the thread with its position, in that
 * thread's order. Port channels move data asynchronously, in the order in which requests were issued.
 */
import type { ExecutionOperation, ExecutionPlan } from '../execution-plan.ts';
import { SynchronisationCounters } from './counters.ts';
import { EventGraph, type EventMove, Strength } from './graph.ts';
import type { CellLayout } from './layout.ts';
import { type ElementMove, elementMovesOf, type PipelinePiece, wholePiece } from './moves.ts';
import type { OperationPlace } from './words.ts';

/** A request to a port channel: the event that issues it, and the event in which the channel executes it. */
export interface Queued {
  readonly issue: number;
  readonly effect: number;
}

/** The blocks that meet at a barrier in one of its rounds. */
export interface Meeting {
  readonly event: number;
  readonly blocks: Set<number>;
  /** The numbers of blocks that their barrier operations expect. */
  readonly expected: Set<number>;
  readonly place: OperationPlace;
}

export interface EventProgram {
  readonly graph: EventGraph;
  readonly counters: SynchronisationCounters;
  /** By port channel: its requests. */
  readonly queues: readonly (readonly Queued[])[];
  /** Flushes: the event and the queue whose requests it awaits. */
  readonly flushes: readonly { readonly event: number; readonly queue: readonly Queued[] }[];
  readonly meetings: readonly Meeting[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Number of edges from program order; further edges follow from counters. */
  readonly given: number;
}

export function eventsOf(layout: CellLayout): EventProgram {
  const { plan } = layout;
  const graph = new EventGraph();
  const counters = new SynchronisationCounters(plan);
  const bare = (kind: 'start' | 'end', gpu: number): number =>
    graph.add({ place: undefined, gpu, kind, moves: [], relaxed: false, lane: graph.openLane() });
  const starts = plan.gpus.map((_, gpu) => bare('start', gpu));
  const ends = plan.gpus.map((_, gpu) => bare('end', gpu));
  const shared: SharedByBlocks = {
    graph,
    counters,
    queues: new Map(),
    flushes: [],
    meetings: new Map(),
    barrierLanes: new Map(),
  };
  for (const [gpu, { blocks }] of plan.gpus.entries()) {
    graph.edge(starts[gpu], ends[gpu]);
    for (const block of blocks.keys()) new BlockEvents(layout, shared, gpu, block, starts[gpu]).run(ends[gpu]);
  }
  const { queues, flushes, meetings } = shared;
  const given = graph.from.length;
  return {
    graph,
    counters,
    queues: [...queues.values()],
    flushes,
    meetings: [...meetings.values()],
    starts,
    ends,
    given,
  };
}

interface SharedByBlocks {
  readonly graph: EventGraph;
  readonly counters: SynchronisationCounters;
  readonly queues: Map<string, Queued[]>;
  readonly flushes: { event: number; queue: readonly Queued[] }[];
  readonly meetings: Map<string, Meeting>;
  /** By gpu and barrier: the lane of its meetings, which happen one after the other. */
  readonly barrierLanes: Map<string, number>;
}

const nothing: readonly EventMove[] = [];

class BlockEvents {
  private readonly layout: CellLayout;
  private readonly shared: SharedByBlocks;
  private readonly gpu: number;
  private readonly block: number;
  /** The last event at which all threads of the block met. */
  private joined: number;
  /** The events since then. */
  private segment: number[] = [];
  /** The events of the segment in which threads may have to wait. */
  private stops: number[] = [];
  /** By thread: its last event since then. */
  private threads = new Map<number, number>();
  /** By barrier: how often the block has reached it. */
  private readonly rounds = new Map<number, number>();
  /** The lanes of the block: of its threads, of concurrent data movement, and of the requests of each thread to port channels. */
  private readonly lanes = new Map<string, number>();
  /** The number of data movements since the threads last met. */
  private movers = 0;
  /** By thread and port channel: the event in which the channel executes the last request. */
  private readonly effects = new Map<string, number>();

  constructor(layout: CellLayout, shared: SharedByBlocks, gpu: number, block: number, start: number) {
    this.layout = layout;
    this.shared = shared;
    this.gpu = gpu;
    this.block = block;
    this.joined = start;
  }

  run(end: number): void {
    this.plan.gpus[this.gpu].blocks[this.block].operations.forEach((operation, index) => {
      const { name, range, loop } = operation;
      const place: OperationPlace = { gpu: this.gpu, block: this.block, index, name, range };
      if (loop === undefined) this.operation(operation, place, wholePiece);
      else this.pipeline(loop, place);
    });
    for (const event of [this.joined, ...this.segment]) this.shared.graph.edge(event, end);
  }

  private get plan(): ExecutionPlan {
    return this.layout.plan;
  }

  private pipeline({ unit, chunks, operations }: NonNullable<ExecutionOperation['loop']>, place: OperationPlace): void {
    const iterations = Math.ceil((chunks * this.layout.scale.chunk) / unit);
    for (let iteration = 0; iteration < iterations; iteration++) {
      operations.forEach((operation, index) => {
        const { name, range } = operation;
        const inner = { ...place, inner: { index, iteration }, name, range };
        this.operation(operation, inner, { offset: iteration * unit, unit });
      });
    }
  }

  private operation(operation: ExecutionOperation, place: OperationPlace, piece: PipelinePiece): void {
    const { name, channels, semaphores } = operation;
    switch (name) {
      case 'nop':
        this.join(place);
        return;
      case 'barrier':
        this.barrier(operation, place);
        return;
      case 'signal':
      case 'rlxsignal':
        for (const thread of channels.keys()) this.signal(operation, thread, place);
        return;
      case 'wait':
      case 'rlxwait':
        for (const thread of channels.keys()) this.wait(operation, thread, place);
        return;
      case 'flush':
        channels.forEach((_, thread) => {
          const event = this.thread(thread, place);
          this.shared.flushes.push({ event, queue: this.queue(operation, thread) });
        });
        return;
      case 'sem_acquire':
        for (const [thread, id] of semaphores.entries()) {
          this.shared.counters.semaphore(this.gpu, id).waits.push(this.thread(thread, place));
        }
        return;
      case 'sem_release':
        for (const [thread, id] of semaphores.entries()) {
          this.shared.counters.semaphore(this.gpu, id).signals.push(this.thread(thread, place));
        }
        return;
      default:
        this.data(operation, place, piece);
    }
  }

  private data(operation: ExecutionOperation, place: OperationPlace, piece: PipelinePiece): void {
    const moves = elementMovesOf(this.layout, { gpu: this.gpu, block: this.block }, operation, piece);
    if (operation.channelType === 'port') {
      this.transfers(operation, moves, place);
      return;
    }
    const byElement = moves.some(({ sources, targets }) => [...sources, ...targets].some(({ packets }) => packets));
    if (!byElement) {
      if (moves.length > 0)
        this.together(
          place,
          moves.map((move) => ({ move, from: 0, count: move.count })),
        );
      return;
    }
    for (const move of moves) this.elements(move, place);
  }

  /** Adds one event per element, since a thread that waits for a packet delays only its own later events. */
  private elements(move: ElementMove, place: OperationPlace): void {
    const stops: number[] = [];
    for (let from = 0; from < move.count; from++) {
      const event = this.together(place, [{ move, from, count: 1 }]);
      if (move.sources.some(({ waits }) => waits)) stops.push(event);
    }
    if (stops.length > 0) this.stops = [this.gate([...this.stops, ...stops], place)];
  }

  /** Joins events in which threads may have to wait to one event, so that fewer edges are needed. */
  private gate(stops: readonly number[], place: OperationPlace): number {
    const { graph } = this.shared;
    const lane = graph.openLane();
    const event = graph.add({ place, gpu: this.gpu, kind: 'join', moves: nothing, relaxed: false, lane });
    for (const stop of stops) graph.edge(stop, event, Strength.control);
    return event;
  }

  /** Issues requests to port channels: the k-th target belongs to the thread with position k. */
  private transfers(operation: ExecutionOperation, moves: readonly ElementMove[], place: OperationPlace): void {
    const raw = this.rawTransfers(operation, moves, place);
    raw.forEach((move, thread) => {
      const issue = this.thread(thread, place);
      this.effect(issue, operation, thread, place, [{ move, from: 0, count: move.count }]);
      if (operation.name === 'put' || operation.name.endsWith('pkt')) return;
      const signal = this.effect(issue, operation, thread, place, nothing);
      this.counterOf(operation, thread, 'to').signals.push(signal);
      if (operation.name !== 'pwsf') return;
      const done = this.thread(thread, place);
      this.shared.graph.edge(signal, done);
    });
  }

  /**
   * `rppkt` waits for its packets and joins its threads before it issues its requests, one per target. Other operations issue their moves as they
   * are.
   */
  private rawTransfers(
    operation: ExecutionOperation,
    moves: readonly ElementMove[],
    place: OperationPlace,
  ): readonly ElementMove[] {
    if (operation.name !== 'rppkt') return moves;
    return moves.flatMap((move) => {
      this.elements({ ...move, targets: [] }, place);
      this.join(place);
      const sources = move.sources.map((span) => ({ ...span, waits: false }));
      return move.targets.map((target) => ({ sources, targets: [target], count: move.count }));
    });
  }

  private signal(operation: ExecutionOperation, thread: number, place: OperationPlace): void {
    const relaxed = operation.name === 'rlxsignal' && operation.channelType === 'memory';
    const issue = this.thread(thread, place, relaxed);
    const counter = this.counterOf(operation, thread, 'to');
    if (operation.channelType === 'memory') {
      counter.signals.push(issue);
      return;
    }
    counter.signals.push(this.effect(issue, operation, thread, place, nothing));
  }

  private wait(operation: ExecutionOperation, thread: number, place: OperationPlace): void {
    const relaxed = operation.name === 'rlxwait' && operation.channelType === 'memory';
    this.counterOf(operation, thread, 'from').waits.push(this.thread(thread, place, relaxed));
  }

  private counterOf(operation: ExecutionOperation, thread: number, way: 'to' | 'from') {
    const type = operation.channelType === 'port' ? 'port' : 'memory';
    const id = this.plan.gpus[this.gpu].blocks[this.block].channels[type][operation.channels[thread]];
    return this.shared.counters.channel(this.gpu, type, id, way);
  }

  private portChannel(operation: ExecutionOperation, thread: number): number {
    return this.plan.gpus[this.gpu].blocks[this.block].channels.port[operation.channels[thread]];
  }

  private queue(operation: ExecutionOperation, thread: number): Queued[] {
    const key = `${this.gpu} ${this.portChannel(operation, thread)}`;
    const queue = this.shared.queues.get(key) ?? [];
    this.shared.queues.set(key, queue);
    return queue;
  }

  private barrier(operation: ExecutionOperation, place: OperationPlace): void {
    const { id, blocks } = operation.barrier ?? { id: 0, blocks: 1 };
    this.join(place);
    if (blocks === 1) return;
    const round = this.rounds.get(id) ?? 0;
    this.rounds.set(id, round + 1);
    const key = `${this.gpu} ${id} ${round}`;
    let meeting = this.shared.meetings.get(key);
    if (meeting === undefined) {
      const { graph, barrierLanes } = this.shared;
      const lane = barrierLanes.get(`${this.gpu} ${id}`) ?? graph.openLane();
      barrierLanes.set(`${this.gpu} ${id}`, lane);
      const event = graph.add({ place, gpu: this.gpu, kind: 'join', moves: nothing, relaxed: false, lane });
      meeting = { event, blocks: new Set(), expected: new Set(), place };
      this.shared.meetings.set(key, meeting);
    }
    meeting.blocks.add(this.block);
    meeting.expected.add(blocks);
    this.shared.graph.edge(this.joined, meeting.event);
    this.join(place);
    this.shared.graph.edge(meeting.event, this.joined);
  }

  /** Joins all threads. */
  private join(place: OperationPlace): void {
    const { graph } = this.shared;
    const lane = this.lane('thread 0');
    const event = graph.add({ place, gpu: this.gpu, kind: 'join', moves: nothing, relaxed: false, lane });
    for (const earlier of [this.joined, ...this.segment]) graph.edge(earlier, event);
    this.joined = event;
    this.movers = 0;
    this.segment = [];
    this.stops = [];
    this.threads = new Map();
  }

  /** Adds an event of one thread. */
  private thread(thread: number, place: OperationPlace, relaxed = false): number {
    const { graph } = this.shared;
    const lane = this.lane(`thread ${thread}`);
    const event = graph.add({ place, gpu: this.gpu, kind: 'thread', moves: nothing, relaxed, lane });
    graph.edge(this.threads.get(thread) ?? this.joined, event);
    for (const stop of this.stops) graph.edge(stop, event, Strength.control);
    this.threads.set(thread, event);
    this.segment.push(event);
    return event;
  }

  /** Adds an event of all threads, which run independently in it. */
  private together(place: OperationPlace, moves: readonly EventMove[]): number {
    const { graph } = this.shared;
    const lane = this.lane(`mover ${this.movers++}`);
    const event = graph.add({ place, gpu: this.gpu, kind: 'data', moves, relaxed: false, lane });
    graph.edge(this.joined, event);
    for (const earlier of [...this.stops, ...this.threads.values()]) graph.edge(earlier, event, Strength.control);
    this.segment.push(event);
    return event;
  }

  /** Adds the event in which a port channel executes a request. Requests of one thread are executed in order. */
  private effect(
    issue: number,
    operation: ExecutionOperation,
    thread: number,
    place: OperationPlace,
    moves: readonly EventMove[],
  ): number {
    const { graph } = this.shared;
    const key = `port ${this.portChannel(operation, thread)} of thread ${thread}`;
    const effect = graph.add({ place, gpu: this.gpu, kind: 'transfer', moves, relaxed: false, lane: this.lane(key) });
    graph.edge(issue, effect);
    const last = this.effects.get(key);
    if (last !== undefined) graph.edge(last, effect);
    this.effects.set(key, effect);
    this.queue(operation, thread).push({ issue, effect });
    return effect;
  }

  private lane(key: string): number {
    const known = this.lanes.get(key);
    if (known !== undefined) return known;
    const lane = this.shared.graph.openLane();
    this.lanes.set(key, lane);
    return lane;
  }
}
