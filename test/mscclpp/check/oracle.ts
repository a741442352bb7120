/**
 * Every interleaving of a tiny plan, by brute force: threads of single operations and elements are tasks, states are sets of
 * tasks that are done. Written from the description of the runtime, apart from the judge.
 */
import type { BlockJson, ChunkJson, GpuJson, OpJson, PlanJson } from './plans.ts';

interface Task {
  /** Index of its segment in its block. */
  readonly block: number;
  readonly segment: number;
  /** The task of the same thread that comes before it. */
  readonly after: number | undefined;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Gpus whose memory it writes, apart from scratch. */
  readonly remote: readonly number[];
  readonly gpu: number;
  readonly needsFlags: readonly string[];
  readonly setsFlags: readonly string[];
  readonly sync?: { readonly kind: 'signal' | 'ticket' | 'pass'; readonly key: string; readonly initial: number };
}

interface Segment {
  readonly tasks: number[];
  /** The barrier that ends it: key and how many. */
  barrier?: { readonly key: string; readonly blocks: number };
}

export interface OracleVerdict {
  readonly deadlock: boolean;
  readonly race: boolean;
  readonly states: number;
}

/** Undefined where there are more than `most` states. */
export function everyInterleaving(plan: PlanJson, most: number): OracleVerdict | undefined {
  const program = new Program(plan);
  const { tasks } = program;
  // A task holds for another what a state with one done and the other not says.
  const first: boolean[][] = tasks.map(() => tasks.map(() => false));
  const lateWrite = { found: false };
  let deadlock = false;
  const seen = new Set<string>();
  const open: State[] = [program.start()];
  seen.add(keyOf(open[0]));
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    tasks.forEach((_, a) => {
      if (state.done[a])
        tasks.forEach((__, b) => {
          if (!state.done[b]) first[a][b] = true;
        });
    });
    if (program.writesLate(state)) lateWrite.found = true;
    const next = program.steps(state);
    if (next.length === 0 && state.done.includes(false)) deadlock = true;
    for (const after of next) {
      const key = keyOf(after);
      if (seen.has(key)) continue;
      seen.add(key);
      if (seen.size > most) return undefined;
      open.push(after);
    }
  }
  const race = tasks.some((one, a) =>
    tasks.some((other, b) => a < b && conflict(one, other) && first[a][b] && first[b][a]),
  );
  return { deadlock, race: race || lateWrite.found, states: seen.size };
}

function conflict(one: Task, other: Task): boolean {
  const touches = (cells: readonly string[], task: Task): boolean =>
    cells.some((cell) => task.reads.includes(cell) || task.writes.includes(cell));
  return touches(one.writes, other) || touches(other.writes, one);
}

interface State {
  readonly done: readonly boolean[];
  /** Segment of each block. */
  readonly at: readonly number[];
  readonly counts: Readonly<Record<string, number>>;
  /** What waits have been given. */
  readonly tickets: Readonly<Record<number, number>>;
}

function keyOf({ done, at, counts, tickets }: State): string {
  return `${done.map(Number).join('')} ${at} ${JSON.stringify(counts)} ${JSON.stringify(tickets)}`;
}

class Program {
  readonly tasks: Task[] = [];
  private readonly blocks: { readonly gpu: number; readonly segments: Segment[] }[] = [];
  private readonly plan: PlanJson;

  constructor(plan: PlanJson) {
    this.plan = plan;
    plan.gpus.forEach((gpu) => {
      for (const block of gpu.threadblocks) this.addBlock(gpu, block);
    });
  }

  start(): State {
    return { done: this.tasks.map(() => false), at: this.blocks.map(() => 0), counts: {}, tickets: {} };
  }

  /** A gpu is through while somebody has still to write its input or output. */
  writesLate({ done }: State): boolean {
    return this.plan.gpus.some(({ id }) => {
      const through = this.tasks.every((task, at) => task.gpu !== id || done[at]);
      return through && this.tasks.some((task, at) => !done[at] && task.remote.includes(id));
    });
  }

  steps(state: State): State[] {
    return [...this.tasks.flatMap((_, task) => this.run(state, task)), ...this.moveOn(state)];
  }

  private run(state: State, at: number): State[] {
    const task = this.tasks[at];
    if (state.done[at] || state.at[task.block] !== task.segment) return [];
    if (task.after !== undefined && !state.done[task.after]) return [];
    const flags = (flag: string): boolean =>
      this.tasks.some((other, o) => state.done[o] && other.setsFlags.includes(flag));
    if (!task.needsFlags.every(flags)) return [];
    const done = state.done.map((was, o) => was || o === at);
    const { sync } = task;
    if (sync === undefined) return [{ ...state, done }];
    const count = state.counts[sync.key] ?? sync.initial;
    if (sync.kind === 'signal') return [{ ...state, done, counts: { ...state.counts, [sync.key]: count + 1 } }];
    const taken = `${sync.key} taken`;
    if (sync.kind === 'ticket') {
      const ticket = (state.counts[taken] ?? 0) + 1;
      return [
        { ...state, done, counts: { ...state.counts, [taken]: ticket }, tickets: { ...state.tickets, [at]: ticket } },
      ];
    }
    return count >= state.tickets[task.after ?? 0] ? [{ ...state, done }] : [];
  }

  /** Blocks whose segment is done go on, those at a barrier together. */
  private moveOn(state: State): State[] {
    const finished = (block: number): boolean => {
      const segment = this.blocks[block].segments[state.at[block]];
      return segment?.tasks.every((task) => state.done[task]) === true;
    };
    for (let block = 0; block < this.blocks.length; block++) {
      if (!finished(block)) continue;
      const { barrier } = this.blocks[block].segments[state.at[block]];
      const meeting = this.blocks.flatMap((_, other) => {
        const segment = this.blocks[other].segments[state.at[other]];
        return segment?.barrier?.key === barrier?.key && finished(other) ? [other] : [];
      });
      if (barrier !== undefined && meeting.length < barrier.blocks) continue;
      const moving = barrier === undefined ? [block] : meeting;
      // Going on decides nothing, so that no other step need be tried before it.
      return [{ ...state, at: state.at.map((at, b) => (moving.includes(b) ? at + 1 : at)) }];
    }
    return [];
  }

  private addBlock(gpu: GpuJson, json: BlockJson): void {
    const block = this.blocks.length;
    const segments: Segment[] = [{ tasks: [] }];
    this.blocks.push({ gpu: gpu.id, segments });
    let threads = new Map<number, number>();
    const rounds = new Map<number, number>();
    const add = (task: Partial<Task>): number => {
      const segment = segments.length - 1;
      const none = { reads: [], writes: [], remote: [], needsFlags: [], setsFlags: [] };
      this.tasks.push({ block, segment, after: undefined, gpu: gpu.id, ...none, ...task });
      segments[segment].tasks.push(this.tasks.length - 1);
      return this.tasks.length - 1;
    };
    const onThread = (thread: number, sync: NonNullable<Task['sync']>): void => {
      threads.set(thread, add({ after: threads.get(thread), sync }));
    };
    const cut = (): void => {
      segments.push({ tasks: [] });
      threads = new Map();
    };
    for (const op of json.ops) {
      const counted = (
        kind: 'signal' | 'wait',
        key: (id: number) => string,
        ids: readonly number[],
        initial: (id: number) => number,
      ): void =>
        ids.forEach((id, thread) => {
          const sync = { key: key(id), initial: initial(id) };
          if (kind === 'signal') onThread(thread, { kind: 'signal', ...sync });
          else {
            onThread(thread, { kind: 'ticket', ...sync });
            onThread(thread, { kind: 'pass', ...sync });
          }
        });
      if (op.name === 'nop') cut();
      else if (op.name === 'barrier') {
        const id = op.barrier_id ?? 0;
        const round = rounds.get(id) ?? 0;
        rounds.set(id, round + 1);
        segments[segments.length - 1].barrier = { key: `${gpu.id} ${id} ${round}`, blocks: op.num_threadblocks ?? 1 };
        cut();
      } else if (op.name === 'signal')
        counted(
          'signal',
          (id) => this.channel(gpu, id, true),
          op.channel_ids ?? [],
          () => 0,
        );
      else if (op.name === 'wait')
        counted(
          'wait',
          (id) => this.channel(gpu, id, false),
          op.channel_ids ?? [],
          () => 0,
        );
      else if (op.name === 'sem_release' || op.name === 'sem_acquire') {
        const kind = op.name === 'sem_release' ? 'signal' : 'wait';
        counted(
          kind,
          (id) => `semaphore ${gpu.id} ${id}`,
          op.semaphore_ids ?? [],
          (id) => gpu.semaphores[id].init_value,
        );
      } else for (const task of this.elements(gpu, op)) add(task);
    }
  }

  /** Channels of these plans: at most one of a direction to a peer for each id. */
  private channel(gpu: GpuJson, id: number, out: boolean): string {
    const peers = gpu.channels[0].connected_to ?? [];
    const ordinal = peers.slice(0, id).filter((peer) => peer === peers[id]).length;
    return out ? `${gpu.id}>${peers[id]} ${ordinal}` : `${peers[id]}>${gpu.id} ${ordinal}`;
  }

  private elements(gpu: GpuJson, op: OpJson): Partial<Task>[] {
    const sources = op.src_buff ?? [];
    const targets = op.dst_buff ?? [];
    const packets = op.name.endsWith('pkt');
    return Array.from({ length: sources[0].size }, (_, element) => {
      const from = sources.map((chunk) => this.cell(gpu, chunk, element));
      const to = targets.map((chunk) => this.cell(gpu, chunk, element));
      const flags = packets ? from.filter((cell) => cell.includes(' s ')) : [];
      const flagged = packets ? to.filter((cell) => cell.includes(' s ')) : [];
      const remote = targets.flatMap(({ buffer_id }) => {
        const buffer = buffer_id === undefined ? undefined : gpu.remote_buffers[buffer_id];
        return buffer === undefined || buffer.type === 's' ? [] : [buffer.rank];
      });
      return { reads: from, writes: to, needsFlags: flags, setsFlags: flagged, remote };
    });
  }

  /** In place input and output are one. */
  private cell(gpu: GpuJson, { type, buffer_id, index }: ChunkJson, element: number): string {
    const remote = buffer_id === undefined ? undefined : gpu.remote_buffers[buffer_id];
    const [owner, buffer] = remote === undefined ? [gpu.id, type] : [remote.rank, remote.type];
    return `${owner} ${buffer === 'o' && this.plan.inplace ? 'i' : buffer} ${index + element}`;
  }
}
