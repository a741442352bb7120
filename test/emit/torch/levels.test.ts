/**
 * The order of messages in files for torch, run here chunk by chunk: ranks do one message after the other, a send waits for its receive, and
 * there are no tags, which is what SOPHGO's backend offers; runtimes that buffer messages can do no less.
 */
import { describe, expect, it } from 'vitest';
import { levelsOf } from '../../../src/emit/torch/levels.ts';
import { type RankProgram, rankPrograms } from '../../../src/emit/torch/program.ts';
import { type Collective, collectiveKinds, inputChunks, outputChunks } from '../../../src/ir/collective.ts';
import type { Plan } from '../../../src/ir/plan.ts';
import { planOf } from '../typescript/plans.ts';

/** Values by rank and cell; a buffer begins at its cell. Sums of distinct powers of a large base show every contribution. */
class Memory {
  readonly cells: bigint[];
  readonly starts: readonly [number, number, number];

  constructor({ collective, buffers }: Plan, rank: number) {
    const { input, output, scratch } = buffers[rank];
    const held = inputChunks(collective, rank);
    const given = outputChunks(collective, rank);
    const isShared = collective.inPlace && held > 0 && given > 0;
    const shift = isShared ? Math.sign(given - held) * rank * collective.chunks : output;
    const [from, to] = [Math.max(0, shift), Math.max(0, -shift)];
    const behind = Math.max(from + input, to + output);
    this.starts = [from, to, behind];
    this.cells = Array.from({ length: behind + scratch }, () => -1n);
  }

  slice(buffer: number, offset: number, count: number): bigint[] {
    const first = this.starts[buffer] + offset;
    return this.cells.slice(first, first + count);
  }

  set(buffer: number, offset: number, values: readonly bigint[]): void {
    for (const [index, value] of values.entries()) this.cells[this.starts[buffer] + offset + index] = value;
  }
}

/** Runs all ranks; returns their memories, or throws where all wait for each other. */
function run(plan: Plan, programs: readonly RankProgram[], swap = false): readonly Memory[] {
  const memories = programs.map((_, rank) => new Memory(plan, rank));
  for (const [rank, memory] of memories.entries()) {
    const chunks = inputChunks(plan.collective, rank);
    memory.set(
      0,
      0,
      Array.from({ length: chunks }, (_, chunk) => contribution(rank, chunk)),
    );
  }
  const states = programs.map((program, rank) => ({
    rank,
    level: 0,
    message: 0,
    stages: new Map<number, bigint[]>(),
    program,
  }));
  type State = (typeof states)[number];
  const work = ({ rank, stages }: State, rows: RankProgram['first']): void => {
    for (const [kind, buffer, offset, count, sourceBuffer, sourceOffset, stage] of rows) {
      const memory = memories[rank];
      const value = kind >= 2 ? (stages.get(stage) ?? []) : memory.slice(sourceBuffer, sourceOffset, count);
      const before = memory.slice(buffer, offset, count);
      memory.set(buffer, offset, kind % 2 === 1 ? value.map((each, index) => each + before[index]) : value);
    }
  };
  const messagesOf = ({ program, level, rank }: State) => {
    const messages = program.levels[level]?.messages ?? [];
    return swap && rank === 0 ? messages.toReversed() : messages;
  };
  const settle = (state: State): void => {
    while (state.level < state.program.levels.length && state.message === messagesOf(state).length) {
      work(state, state.program.levels[state.level].local);
      state.level++;
      state.message = 0;
    }
  };
  for (const state of states) {
    work(state, state.program.first);
    settle(state);
  }
  for (let moved = true; moved; ) {
    moved = false;
    for (const sender of states) {
      const send = messagesOf(sender)[sender.message];
      if (send === undefined || send[0] !== 1) continue;
      const receiver = states[send[1]];
      const receive = messagesOf(receiver)[receiver.message];
      if (receive === undefined || receive[0] !== 0 || receive[1] !== sender.rank) continue;
      const values = memories[sender.rank].slice(send[2], send[3], send[4]);
      expect(receive[4]).toBe(send[4]);
      if (receive[7] < 0) memories[receiver.rank].set(receive[2], receive[3], values);
      else receiver.stages.set(receive[7], values);
      for (const state of [sender, receiver]) {
        state.message++;
        settle(state);
      }
      moved = true;
    }
  }
  if (states.some(({ level, program }) => level < program.levels.length)) throw new Error('all ranks wait');
  return memories;
}

const contribution = (rank: number, chunk: number): bigint =>
  (1n << BigInt(8 * rank)) * 1_000_003n ** BigInt(chunk + 1);

/** What an output slot must hold, from the definitions of docs/collectives.md; undefined where anything will do. */
function expected({ kind, ranks, chunks, root }: Collective, rank: number, slot: number): bigint | undefined {
  const [shard, chunk] = [Math.floor(slot / chunks), slot % chunks];
  const all = Array.from({ length: ranks }, (_, each) => each);
  const sum = (from: readonly number[], at: number): bigint =>
    from.reduce((total, each) => total + contribution(each, at), 0n);
  switch (kind) {
    case 'allgather':
    case 'gather':
      return contribution(shard, chunk);
    case 'alltoall':
      return contribution(shard, rank * chunks + chunk);
    case 'broadcast':
      return contribution(root, slot);
    case 'scatter':
      return contribution(root, rank * chunks + chunk);
    case 'reducescatter':
      return sum(all, rank * chunks + chunk);
    case 'allreduce':
    case 'reduce':
      return sum(all, slot);
    case 'scan':
      return sum(all.slice(0, rank + 1), slot);
    case 'exscan':
      return rank === 0 ? undefined : sum(all.slice(0, rank), slot);
    default:
      return undefined;
  }
}

function planFor(kind: Collective['kind'], machine: string, inPlace: boolean, root: number): Plan {
  return planOf(kind, { topology: machine, inPlace, root }).proved.plan;
}

const kinds = collectiveKinds.filter((kind) => kind !== 'custom');
const machines = ['ring:4', 'full:3', 'line:5', 'switch:6', 'sg2260x8', 'hypercube:3'];

describe.each(kinds)('the order of messages of %s', (kind) => {
  it.each(machines.flatMap((machine) => [[machine, false] as const, [machine, true] as const]))(
    'lets ranks of %s that do one message at a time finish with the right result (in place: %s)',
    (machine, inPlace) => {
      const plan = planFor(kind, machine, inPlace, 1);
      const memories = run(plan, rankPrograms(plan, levelsOf(plan)));
      for (const [rank, memory] of memories.entries()) {
        const slots = outputChunks(plan.collective, rank);
        const held = memory.slice(1, 0, slots);
        const wanted = held.map((value, slot) => expected(plan.collective, rank, slot) ?? value);
        expect(held).toEqual(wanted);
      }
    },
  );
});

it('matters: a rank that takes its messages in another order than its peers stops all of them', () => {
  const plan = planFor('allgather', 'ring:4', false, 0);
  expect(() => run(plan, rankPrograms(plan, levelsOf(plan)), true)).toThrow('all ranks wait');
});
