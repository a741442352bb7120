/**
 * The blocks of a plan as events. Threads of a block run on independently until the next `nop` (or barrier): what moves
 * data is done by all of them and ordered by nothing else, while signals, waits and semaphores are done by the thread of
 * their position in the list and in order for that thread. Port channels move data by themselves, in the order in which
 * it was handed to them.
 */
import type { ExecutionOperation, ExecutionPlan } from '../execution-plan.ts';
import { SynchronisationCounters } from './counters.ts';
import { EventGraph, type EventMove, type MemoryEvent, Strength } from './graph.ts';
import type { CellLayout } from './layout.ts';
import { type ElementMove, elementMovesOf, type PipelinePiece, wholePiece } from './moves.ts';
import type { OperationPlace } from './words.ts';

/** What was handed to a port channel: by which event, and which event it causes. */
export interface Queued {
  readonly issue: number;
  readonly effect: number;
}

/** Blocks that meet at a barrier in one of its rounds. */
export interface Meeting {
  readonly event: number;
  readonly blocks: Set<number>;
  /** How many of them each says that there are. */
  readonly expected: Set<number>;
  readonly place: OperationPlace;
}

export interface EventProgram {
  readonly graph: EventGraph;
  readonly counters: SynchronisationCounters;
  /** Per port channel. */
  readonly queues: readonly (readonly Queued[])[];
  /** Flushes: the event and the queue that it waits for. */
  readonly flushes: readonly { readonly event: number; readonly queue: readonly Queued[] }[];
  readonly meetings: readonly Meeting[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Edges that the blocks themselves give: those behind follow from counting. */
  readonly given: number;
}

export function eventsOf(layout: CellLayout): EventProgram {
  const { plan } = layout;
  const graph = new EventGraph();
  const counters = new SynchronisationCounters(plan);
  const starts = plan.gpus.map((_, gpu) => graph.add(bare('start', gpu)));
  const ends = plan.gpus.map((_, gpu) => graph.add(bare('end', gpu)));
  const shared = { graph, counters, queues: new Map<string, Queued[]>(), flushes: [], meetings: new Map() };
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

function bare(kind: 'start' | 'end', gpu: number): MemoryEvent {
  return { place: undefined, gpu, kind, moves: [], relaxed: false };
}

interface Shared {
  readonly graph: EventGraph;
  readonly counters: SynchronisationCounters;
  readonly queues: Map<string, Queued[]>;
  readonly flushes: { event: number; queue: readonly Queued[] }[];
  readonly meetings: Map<string, Meeting>;
}

const nothing: readonly EventMove[] = [];

class BlockEvents {
  private readonly layout: CellLayout;
  private readonly shared: Shared;
  private readonly gpu: number;
  private readonly block: number;
  /** The last event that all threads had in common. */
  private joined: number;
  /** Events since. */
  private segment: number[] = [];
  /** Those of them that threads may have to wait in. */
  private stops: number[] = [];
  /** The last event of single threads since. */
  private threads = new Map<number, number>();
  /** How often the block was at each barrier. */
  private readonly rounds = new Map<number, number>();

  constructor(layout: CellLayout, shared: Shared, gpu: number, block: number, start: number) {
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

  /** Threads that wait for a packet hold up what they do next, and nothing else. */
  private elements(move: ElementMove, place: OperationPlace): void {
    const stops: number[] = [];
    for (let from = 0; from < move.count; from++) {
      const event = this.together(place, [{ move, from, count: 1 }]);
      if (move.sources.some(({ waits }) => waits)) stops.push(event);
    }
    if (stops.length > 0) this.stops = [this.gate([...this.stops, ...stops], place)];
  }

  /** One event in place of many that threads may have to wait in. */
  private gate(stops: readonly number[], place: OperationPlace): number {
    const { graph } = this.shared;
    const event = graph.add({ place, gpu: this.gpu, kind: 'join', moves: nothing, relaxed: false });
    for (const stop of stops) graph.edge(stop, event, Strength.control);
    return event;
  }

  /** What is handed to port channels, target by target, by the thread of that position. */
  private transfers(operation: ExecutionOperation, moves: readonly ElementMove[], place: OperationPlace): void {
    const raw = this.rawTransfers(operation, moves, place);
    raw.forEach((move, thread) => {
      const issue = this.thread(thread, place);
      const effect = this.effect(issue, place, [{ move, from: 0, count: move.count }]);
      const queue = this.queue(operation, thread);
      queue.push({ issue, effect });
      if (operation.name === 'put' || operation.name.endsWith('pkt')) return;
      const signal = this.effect(issue, place, nothing);
      this.shared.graph.edge(effect, signal);
      queue.push({ issue, effect: signal });
      this.counterOf(operation, thread, 'to').signals.push(signal);
      if (operation.name !== 'pwsf') return;
      const done = this.thread(thread, place);
      this.shared.graph.edge(signal, done);
    });
  }

  /** `rppkt` waits for its packets and joins its threads before it hands them on, target by target. */
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
    const effect = this.effect(issue, place, nothing);
    this.queue(operation, thread).push({ issue, effect });
    counter.signals.push(effect);
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

  private queue(operation: ExecutionOperation, thread: number): Queued[] {
    const id = this.plan.gpus[this.gpu].blocks[this.block].channels.port[operation.channels[thread]];
    const key = `${this.gpu} ${id}`;
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
      const event = this.shared.graph.add({ place, gpu: this.gpu, kind: 'join', moves: nothing, relaxed: false });
      meeting = { event, blocks: new Set(), expected: new Set(), place };
      this.shared.meetings.set(key, meeting);
    }
    meeting.blocks.add(this.block);
    meeting.expected.add(blocks);
    this.shared.graph.edge(this.joined, meeting.event);
    this.join(place);
    this.shared.graph.edge(meeting.event, this.joined);
  }

  /** All threads meet. */
  private join(place: OperationPlace): void {
    const { graph } = this.shared;
    const event = graph.add({ place, gpu: this.gpu, kind: 'join', moves: nothing, relaxed: false });
    for (const earlier of [this.joined, ...this.segment]) graph.edge(earlier, event);
    this.joined = event;
    this.segment = [];
    this.stops = [];
    this.threads = new Map();
  }

  /** An event of one thread. */
  private thread(thread: number, place: OperationPlace, relaxed = false): number {
    const { graph } = this.shared;
    const event = graph.add({ place, gpu: this.gpu, kind: 'thread', moves: nothing, relaxed });
    graph.edge(this.threads.get(thread) ?? this.joined, event);
    for (const stop of this.stops) graph.edge(stop, event, Strength.control);
    this.threads.set(thread, event);
    this.segment.push(event);
    return event;
  }

  /** An event of all threads, each on its own. */
  private together(place: OperationPlace, moves: readonly EventMove[]): number {
    const { graph } = this.shared;
    const event = graph.add({ place, gpu: this.gpu, kind: 'data', moves, relaxed: false });
    graph.edge(this.joined, event);
    for (const earlier of [...this.stops, ...this.threads.values()]) graph.edge(earlier, event, Strength.control);
    this.segment.push(event);
    return event;
  }

  /** Something that a port channel does once it was told to. */
  private effect(issue: number, place: OperationPlace, moves: readonly EventMove[]): number {
    const { graph } = this.shared;
    const event = graph.add({ place, gpu: this.gpu, kind: 'transfer', moves, relaxed: false });
    graph.edge(issue, event);
    return event;
  }
}
