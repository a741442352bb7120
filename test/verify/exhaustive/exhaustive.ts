/**
 * Judges a tiny plan by trying every interleaving of the operational semantics (docs/plan-format.md), all bulks unrolled. Shares nothing
 * with the verifier but the types: states are the positions of the lanes, two operations race if both can run next in some
 * state and touch one cell, one of them writing.
 */
import { type Collective, memoryLayout } from '../../../src/ir/collective.ts';
import { type Operation, operationAt, type Plan, type Slice } from '../../../src/ir/plan.ts';
import { listsOf } from '../../ir/custom-lists.ts';

export interface Judgement {
  /** Some read finds its slot unfilled in every interleaving (bulk 0). */
  readonly uninitialised: boolean;
  readonly deadlock: boolean;
  readonly race: boolean;
  /** Every output slot of every bulk is right, in one interleaving that runs to the end. */
  readonly right: boolean;
}

interface Step {
  readonly operation: number;
  readonly op: Operation;
  readonly rank: number;
  readonly lane: number;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** What a right output holds: contributions `rank.chunk` in rank order, from the table of docs/collectives.md; undefined for anything. */
export type Wanted = (rank: number, slot: number) => readonly string[] | undefined;

/** States that are tried under strict ownership, at most. */
const mostStates = 3_000;

/**
 * Whether, with slices owned from posting to completion, two operations of a rank can own what one of them writes at once; undefined if
 * there are too many states to tell.
 */
export function ownsTwice(plan: Plan, inflight: number | undefined): boolean | undefined {
  return new Machine(plan, inflight).ownsTwice();
}

export function judge(plan: Plan, inflight: number | undefined, wanted: Wanted): Judgement {
  const machine = new Machine(plan, inflight);
  const states = machine.reachable();
  const ends = states.filter((state) => machine.enabled(state).length === 0);
  const complete = (state: readonly number[]): boolean => state.every((at, lane) => at === machine.steps[lane].length);
  const done = ends.filter(complete);
  return {
    uninitialised: machine.readsUnfilled(states),
    deadlock: done.length < ends.length,
    race: states.some((state) => machine.racesIn(state)),
    right: done.length > 0 && machine.outcome(wanted, () => 0) === 'right' && machine.keepsTogether(states),
  };
}

/** One run to its end in an order that is chosen at random: is what it leaves right, wrong, or does it get stuck? */
export function runAtRandom(
  plan: Plan,
  inflight: number | undefined,
  wanted: Wanted,
  choose: (bound: number) => number,
): 'right' | 'wrong' | 'stuck' {
  return new Machine(plan, inflight).outcome(wanted, choose);
}

class Machine {
  readonly steps: readonly (readonly Step[])[];
  private readonly plan: Plan;
  private readonly inflight: number | undefined;
  /** Messages sent or received per connection, lane and position. */
  private readonly counts = new Map<string, readonly (readonly number[])[]>();

  constructor(plan: Plan, inflight: number | undefined) {
    this.plan = plan;
    this.inflight = inflight;
    const steps: Step[][] = [];
    for (let rank = 0; rank < plan.buffers.length; rank++) {
      for (let lane = plan.firstLane[rank]; lane < plan.firstLane[rank + 1]; lane++) {
        steps.push([]);
        for (let bulk = 0; bulk < plan.bulks; bulk++) {
          for (let o = plan.firstOp[lane]; o < plan.firstOp[lane + 1]; o++)
            steps[lane].push(this.step(o, rank, lane, bulk));
        }
      }
    }
    this.steps = steps;
  }

  /**
   * Sets of events (one step, or a send and its receive) that can happen next. `state` counts what has happened in each lane;
   * `ready` says whether the next step of a lane may happen as far as its rank is concerned.
   */
  enabled(
    state: readonly number[],
    ready = (step: Step): boolean => this.waitsAreOver(step, state),
  ): readonly (readonly Step[])[] {
    const events: (readonly Step[])[] = [];
    this.steps.forEach((steps, lane) => {
      const step = steps[state[lane]];
      if (step === undefined || !ready(step)) return;
      if (step.op.op === 'copy' || step.op.op === 'reduce') events.push([step]);
      else if (step.op.op === 'send') {
        const sent = this.count(state, 'send', step.rank, step.op.peer, step.op.channel);
        const taken = this.count(state, 'recv', step.rank, step.op.peer, step.op.channel);
        if (this.inflight === undefined || sent - taken < this.inflight) events.push([step]);
        if (this.inflight !== 0) return;
        const receive = this.steps.map((other, at) => other[state[at]]).find((other) => this.receivesFrom(other, step));
        if (receive !== undefined && ready(receive)) events.push([step, receive]);
      } else if (this.inflight !== 0) {
        const sent = this.count(state, 'send', step.op.peer, step.rank, step.op.channel);
        const taken = this.count(state, 'recv', step.op.peer, step.rank, step.op.channel);
        if (sent > taken) events.push([step]);
      }
    });
    return events;
  }

  reachable(): readonly (readonly number[])[] {
    const first = this.steps.map(() => 0);
    const seen = new Map([[first.join(), first]]);
    const open = [first];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      for (const event of this.enabled(state)) {
        const next = [...state];
        for (const step of event) next[step.lane]++;
        if (seen.has(next.join())) continue;
        seen.set(next.join(), next);
        open.push(next);
      }
    }
    return [...seen.values()];
  }

  /**
   * Strict ownership in three phases: a lane posts its next step when all its earlier ones and what it waits for are
   * complete, the step happens, and then – nobody else knows when – its rank learns that it is complete.
   */
  ownsTwice(): boolean | undefined {
    const nothing = this.steps.map(() => 0);
    const seen = new Set<string>();
    const open = [{ posted: nothing, happened: nothing, complete: nothing }];
    const oneMore = (counts: readonly number[], lane: number) => counts.map((n, l) => (l === lane ? n + 1 : n));
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      const { posted, happened, complete } = state;
      const key = `${posted} ${happened} ${complete}`;
      if (seen.has(key)) continue;
      if (seen.size === mostStates) return undefined;
      seen.add(key);
      const owning = this.steps.flatMap((steps, lane) =>
        posted[lane] > complete[lane] ? [steps[complete[lane]]] : [],
      );
      if (owning.some((a, at) => owning.slice(at + 1).some((b) => conflict(a, b)))) return true;
      this.steps.forEach((steps, lane) => {
        const step = steps[posted[lane]];
        if (happened[lane] > complete[lane]) open.push({ ...state, complete: oneMore(complete, lane) });
        if (posted[lane] > complete[lane] || step === undefined || !this.waitsAreOver(step, complete)) return;
        open.push({ ...state, posted: oneMore(posted, lane) });
      });
      for (const event of this.enabled(happened, ({ lane }) => posted[lane] > happened[lane])) {
        open.push({ ...state, happened: event.reduce((counts, { lane }) => oneMore(counts, lane), happened) });
      }
    }
    return false;
  }

  racesIn(state: readonly number[]): boolean {
    const events = this.enabled(state);
    return events.some((a, at) => events.slice(at + 1).some((b) => a.some((x) => b.some((y) => conflict(x, y)))));
  }

  readsUnfilled(states: readonly (readonly number[])[]): boolean {
    const all = this.steps.flatMap((steps, lane) => steps.map((step, at) => ({ step, lane, at })));
    const fills = all.filter(({ step }) => step.op.op === 'copy' || step.op.op === 'recv');
    const bulkOne = all.filter(({ at, lane }) => at < this.steps[lane].length / this.plan.bulks);
    return bulkOne.some(({ step, lane, at }) =>
      step.reads.some((cell) => {
        if (this.initial().has(cell)) return false;
        const fillers = fills.filter((fill) => fill.step.writes.includes(cell));
        return !states.some((state) => state[lane] <= at && fillers.some((fill) => state[fill.lane] > fill.at));
      }),
    );
  }

  /** Runs to the end, always with the event that is chosen among those that can happen. */
  outcome(wanted: Wanted, choose: (bound: number) => number): 'right' | 'wrong' | 'stuck' {
    const memory = this.initial();
    const channels = new Map<string, (readonly string[])[][]>();
    let state: readonly number[] = this.steps.map(() => 0);
    for (let events = this.enabled(state); events.length > 0; events = this.enabled(state)) {
      const next = [...state];
      for (const step of events[choose(events.length)]) {
        run(step, memory, channels);
        next[step.lane]++;
      }
      state = next;
    }
    if (state.some((at, lane) => at < this.steps[lane].length)) return 'stuck';
    return this.isRight(memory, wanted) ? 'right' : 'wrong';
  }

  private isRight(memory: ReadonlyMap<string, readonly string[]>, wanted: Wanted): boolean {
    for (let bulk = 0; bulk < this.plan.bulks; bulk++) {
      for (let rank = 0; rank < this.plan.buffers.length; rank++) {
        for (let slot = 0; slot < this.plan.buffers[rank].output; slot++) {
          const held = memory.get(this.cell(rank, bulk, { buffer: 'output', offset: slot, count: 1 }, 0)) ?? [];
          if (!isAsWanted(this.plan.collective, held, wanted(rank, slot))) return false;
        }
      }
    }
    return true;
  }

  /** A barrier: in no state has a rank done all it does while another has done nothing. */
  keepsTogether(states: readonly (readonly number[])[]): boolean {
    const { collective, firstLane, bulks } = this.plan;
    if (collective.kind !== 'barrier' || collective.ranks === 1) return true;
    return states.every((state) => {
      const ranks = this.plan.buffers.map((_, rank) => {
        const lanes = this.steps
          .map((steps, lane) => ({ steps, at: state[lane] }))
          .slice(firstLane[rank], firstLane[rank + 1]);
        return {
          left: lanes.every(({ steps, at }) => at >= steps.length / bulks),
          out: lanes.every(({ at }) => at === 0),
        };
      });
      return !ranks.some(({ left }, rank) => left && ranks.some(({ out }, other) => out && other !== rank));
    });
  }

  private initial(): Map<string, readonly string[]> {
    const memory = new Map<string, readonly string[]>();
    for (let bulk = 0; bulk < this.plan.bulks; bulk++) {
      this.plan.buffers.forEach(({ input }, rank) => {
        for (let c = 0; c < input; c++) {
          memory.set(this.cell(rank, bulk, { buffer: 'input', offset: c, count: 1 }, 0), [`${rank}.${c}`]);
        }
      });
    }
    return memory;
  }

  private cell(rank: number, bulk: number, slice: Slice, i: number): string {
    if (slice.buffer === 'scratch') return `${rank} s${bulk % this.plan.scratchPerBulk} ${slice.offset + i}`;
    const window = memoryLayout(this.plan.collective, rank);
    return `${rank} m${bulk} ${window[slice.buffer] + slice.offset + i}`;
  }

  private step(operation: number, rank: number, lane: number, bulk: number): Step & { readonly bulk: number } {
    const op = operationAt(this.plan, operation);
    const cells = (slice: Slice): string[] =>
      Array.from({ length: slice.count }, (_, i) => this.cell(rank, bulk, slice, i));
    const source = 'src' in op ? cells(op.src) : [];
    const target = 'dst' in op ? cells(op.dst) : [];
    const reads = op.op === 'reduce' || op.op === 'recvReduce' ? [...source, ...target] : source;
    return { operation, op, rank, lane, bulk, reads, writes: target };
  }

  private waitsAreOver(step: Step, state: readonly number[]): boolean {
    const length = this.steps[step.lane].length / this.plan.bulks;
    const bulk = Math.floor(state[step.lane] / length);
    return step.op.after.every((dependency) => {
      const lane = this.plan.firstLane[step.rank] + dependency.lane;
      const from = bulk - dependency.bulks;
      return from < 0 || state[lane] > (this.steps[lane].length / this.plan.bulks) * from + dependency.index;
    });
  }

  private receivesFrom(step: Step | undefined, send: Step): boolean {
    if (step === undefined || send.op.op !== 'send') return false;
    if (step.op.op !== 'recv' && step.op.op !== 'recvReduce') return false;
    return step.op.peer === send.rank && step.rank === send.op.peer && step.op.channel === send.op.channel;
  }

  private count(state: readonly number[], side: 'send' | 'recv', from: number, to: number, channel: number): number {
    const key = `${side} ${from} ${to} ${channel}`;
    let table = this.counts.get(key);
    if (table === undefined) {
      table = this.steps.map((steps) => countsIn(steps, side, from, to, channel));
      this.counts.set(key, table);
    }
    return table.reduce((sum, inLane, lane) => sum + inLane[state[lane]], 0);
  }
}

/** How many messages of a connection a lane has sent or received at each of its positions. */
function countsIn(steps: readonly Step[], side: 'send' | 'recv', from: number, to: number, channel: number): number[] {
  const counts = [0];
  for (const { op, rank } of steps) {
    const sends = op.op === 'send';
    const local = op.op === 'copy' || op.op === 'reduce';
    const matches = !local && op.channel === channel && sends === (side === 'send');
    const same = matches && rank === (sends ? from : to) && op.peer === (sends ? to : from);
    counts.push(counts[counts.length - 1] + (same ? 1 : 0));
  }
  return counts;
}

function conflict(a: Step, b: Step): boolean {
  const meets = (x: readonly string[], y: readonly string[]): boolean => x.some((cell) => y.includes(cell));
  return meets(a.writes, b.writes) || meets(a.writes, b.reads) || meets(a.reads, b.writes);
}

function run(step: Step, memory: Map<string, readonly string[]>, channels: Map<string, (readonly string[])[][]>): void {
  const { op, rank, reads, writes } = step;
  const key =
    op.op === 'copy' || op.op === 'reduce'
      ? ''
      : op.op === 'send'
        ? `${rank} ${op.peer} ${op.channel}`
        : `${op.peer} ${rank} ${op.channel}`;
  const value = (cell: string): readonly string[] => memory.get(cell) ?? ['nothing'];
  if (op.op === 'send') {
    channels.set(key, [...(channels.get(key) ?? []), reads.map(value)]);
    return;
  }
  const incoming =
    op.op === 'copy' || op.op === 'reduce'
      ? reads.slice(0, writes.length).map(value)
      : (channels.get(key)?.shift() ?? []);
  const adds = op.op === 'reduce' || op.op === 'recvReduce';
  const receivedFirst = 'order' in op && op.order === 'received-first';
  const sum = (held: readonly string[], more: readonly string[]) =>
    receivedFirst ? [...more, ...held] : [...held, ...more];
  const results = writes.map((cell, i) => (adds ? sum(value(cell), incoming[i]) : incoming[i]));
  writes.forEach((cell, i) => {
    memory.set(cell, results[i]);
  });
}

/** Contributions in rank order where that is asked for, each as often as wanted; max and its kin may see one again. */
function isAsWanted(collective: Collective, held: readonly string[], wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined) return true;
  const { kind, op, ordered } = collective;
  const inOrder = ordered || kind === 'scan' || kind === 'exscan';
  const reduces = ['reducescatter', 'allreduce', 'reduce', 'scan', 'exscan', 'custom'].includes(kind);
  const idempotent = reduces && !(kind === 'custom' && ordered) && ['max', 'min', 'and', 'or'].includes(op);
  const once = idempotent
    ? held.filter((part, at) => (inOrder ? held[at - 1] !== part : held.indexOf(part) === at))
    : held;
  return inOrder ? once.join() === wanted.join() : [...once].sort().join() === [...wanted].sort().join();
}

/** Post-conditions of docs/collectives.md for the collectives that the tests try exhaustively. */
export function wantedBy({ kind, ranks, chunks, root, custom }: Collective): Wanted {
  const from = (chunk: number, first = 0, last = ranks - 1): string[] =>
    Array.from({ length: last - first + 1 }, (_, i) => `${first + i}.${chunk}`);
  const lists = custom && listsOf(custom.results);
  return (rank, slot) => {
    const shard = Math.floor(slot / chunks);
    switch (kind) {
      case 'allreduce':
      case 'reduce':
        return from(slot);
      case 'reducescatter':
        return from(rank * chunks + slot);
      case 'scan':
        return from(slot, 0, rank);
      case 'exscan':
        return rank === 0 ? undefined : from(slot, 0, rank - 1);
      case 'broadcast':
        return [`${root}.${slot}`];
      case 'scatter':
        return [`${root}.${rank * chunks + slot}`];
      case 'alltoall':
        return [`${shard}.${rank * chunks + (slot % chunks)}`];
      case 'allgather':
      case 'gather':
        return [`${shard}.${slot % chunks}`];
      case 'custom':
        return lists?.[rank]?.[slot]?.map((part) => `${part.rank}.${part.chunk}`);
      case 'barrier':
        return undefined;
    }
  };
}
