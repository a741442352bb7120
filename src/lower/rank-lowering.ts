/**
 * Lowers the transfers of one rank, step by step. Within a step, the operations of a rank are put in an order that keeps the meaning of the step
 * (everything is read before anything is written) and cannot deadlock, whatever the waits between lanes:
 *
 * 1. copies into scratch (snapshots) of what must be read early, 2. sends, 3. local operations, 4. receives, each in the order of the schedule.
 *
 * There is no deadlock if a connection buffers at least one message. The first send of every connection in a step completes without help. A receive
 * that is the k-th of its connection in the step waits, because of what it overwrites, only for sends that are at most the k-th of theirs (later ones
 * read a snapshot), so all k-th messages are delivered once all earlier ones are. This argument fails if reductions from several connections are
 * chained in their listed order; in such steps every send but the first of its connection reads a snapshot if its source is overwritten.
 */
import { memoryLayout } from '../ir/collective.ts';
import { none } from '../ir/none.ts';
import { OperationCode, type PlanBuilder } from '../ir/plan.ts';
import { assignLanes, type LaneAssignment, localLane } from './lanes.ts';
import { Homes } from './memory/homes.ts';
import { alignRuns, type CellMove, type CellRun } from './memory/runs.ts';
import {
  type Arrival,
  type Departure,
  departuresToSnapshot,
  type LocalMove,
  localsFollowArrivals,
  localsToSnapshot,
  type StepWrite,
} from './order/step-hazards.ts';
import type { RankProgram } from './program.ts';
import type { ScheduleFacts } from './schedule-facts.ts';

const { copy, reduce, send, recv, recvReduce } = OperationCode;

/**
 * Lowers the transfers of one rank into a plan.
 * @param program a buffer that the caller reuses for all ranks
 * @returns the chunks of scratch that the rank needs
 */
export function lowerRank(
  facts: ScheduleFacts,
  rank: number,
  transfers: Int32Array,
  program: RankProgram,
  builder: PlanBuilder,
): number {
  const lowering = new RankLowering(facts, rank, transfers, program);
  lowering.run();
  return lowering.finish(builder);
}

class RankLowering {
  private readonly facts: ScheduleFacts;
  private readonly rank: number;
  private readonly transfers: Int32Array;
  private readonly lanes: LaneAssignment;
  private readonly homes: Homes;
  private readonly program: RankProgram;
  /** The first cell of scratch that nothing uses yet. */
  private free: number;
  /** By lane: the step of its latest message, and the number of its messages in that step. */
  private readonly laneStep: Int32Array;
  private readonly laneMessages: Int32Array;

  constructor(facts: ScheduleFacts, rank: number, transfers: Int32Array, program: RankProgram) {
    const { schedule } = facts;
    this.facts = facts;
    this.rank = rank;
    this.transfers = transfers;
    this.lanes = assignLanes(schedule.steps, rank, transfers, schedule.collective.ranks);
    this.homes = new Homes(facts, rank, transfers);
    this.program = program;
    program.start(this.lanes.count);
    this.free = this.homes.end;
    this.laneStep = new Int32Array(this.lanes.count);
    this.laneMessages = new Int32Array(this.lanes.count);
  }

  run(): void {
    const { stepOf, schedule } = this.facts;
    for (const move of this.homes.initialCopies) this.moveOnce(move, 0);
    for (let from = 0; from < this.transfers.length; ) {
      const step = stepOf[this.transfers[from]];
      let to = from + 1;
      while (to < this.transfers.length && stepOf[this.transfers[to]] === step) to++;
      this.lowerStep(step, from, to);
      from = to;
    }
    for (const move of this.homes.finalCopies) this.moveOnce(move, schedule.steps.stepCount + 1);
  }

  finish(builder: PlanBuilder): number {
    const { schedule, grain, bulks, scratchPerBulk } = this.facts;
    const { cells } = memoryLayout(schedule.collective, this.rank);
    if (bulks > scratchPerBulk) this.program.waitForReuse(cells, scratchPerBulk);
    this.program.flush(this.rank, builder, this.homes, grain);
    return (this.free - cells) * grain;
  }

  /** Lowers the transfers at places `from … to − 1` of the rank's list, which make up one step. */
  private lowerStep(step: number, from: number, to: number): void {
    const departures: Departure[] = [];
    const writes: StepWrite[] = [];
    for (let place = from; place < to; place++) this.sort(place, step, departures, writes);
    const locals = writes.filter((write) => write.kind === 'local');
    const mixed = locals.length > 0 && localsFollowArrivals(writes);
    const early = departuresToSnapshot(departures, writes, this.facts.chained[step] === 1);
    const earlyLocals = mixed ? new Set<StepWrite>(locals) : localsToSnapshot(locals);
    const sources = new Map<Departure | StepWrite, number>();
    for (const departure of early) sources.set(departure, this.gather(localLane, departure, step));
    for (const local of locals) {
      if (!earlyLocals.has(local)) continue;
      const runs = [{ first: local.move.from, count: local.move.count }];
      sources.set(local, this.gather(localLane, { transfer: local.transfer, runs }, step));
    }
    for (const departure of departures) this.send(departure, sources.get(departure), step);
    const inOrder = mixed ? writes : [...locals, ...writes.filter((write) => write.kind === 'arrival')];
    for (const write of inOrder) {
      if (write.kind === 'local') this.moveLocally(write, sources.get(write), step);
      else this.receive(write, step);
    }
  }

  /** Adds the ends of a transfer that lie on this rank to the departures and writes of its step. */
  private sort(place: number, step: number, departures: Departure[], writes: StepWrite[]): void {
    const { steps } = this.facts.schedule;
    const transfer = this.transfers[place];
    const lane = this.lanes.laneOf[place];
    const reduces = steps.isReduce(transfer);
    if (steps.source[transfer] === steps.destination[transfer]) {
      const moves = alignRuns(this.homes.source(transfer), this.homes.destination(transfer));
      const computing = steps.nanoseconds?.[transfer] ?? -1;
      for (const [index, move] of moves.entries()) {
        if (!reduces && move.from === move.to) continue;
        // The last part is charged the whole computing time: the computation starts when all its inputs have been read.
        const nanoseconds = computing < 0 ? undefined : index === moves.length - 1 ? computing : 0;
        writes.push({ kind: 'local', transfer, lane, reduces, move, nanoseconds });
      }
      return;
    }
    const nth = this.laneStep[lane] === step ? this.laneMessages[lane] : 0;
    this.laneStep[lane] = step;
    this.laneMessages[lane] = nth + 1;
    if (steps.source[transfer] === this.rank) {
      departures.push({ transfer, lane, nth, runs: this.homes.source(transfer) });
    } else {
      writes.push({ kind: 'arrival', transfer, lane, nth, reduces, runs: this.homes.destination(transfer) });
    }
  }

  /** Copies what a transfer reads into unused scratch. Returns the first cell of the copy. */
  private gather(lane: number, { transfer, runs }: Pick<Departure, 'transfer' | 'runs'>, step: number): number {
    const start = this.free;
    for (const { first, count } of runs) {
      this.add(copy, lane, step, transfer, first, this.free, count);
      this.free += count;
    }
    return start;
  }

  private send(departure: Departure, snapshot: number | undefined, step: number): void {
    const { transfer, lane, runs } = departure;
    const count = lengthOf(runs);
    const first = snapshot ?? (runs.length === 1 ? runs[0].first : this.gather(lane, departure, step));
    this.add(send, lane, step, transfer, first, none, count);
  }

  /** Receives a message in place. If its destination is not contiguous, receives it into unused scratch and copies or reduces it from there. */
  private receive({ transfer, lane, runs, reduces }: Arrival, step: number): void {
    if (runs.length === 1) {
      this.add(reduces ? recvReduce : recv, lane, step, transfer, none, runs[0].first, runs[0].count);
      return;
    }
    const arrived = { first: this.free, count: lengthOf(runs) };
    this.free += arrived.count;
    this.add(recv, lane, step, transfer, none, arrived.first, arrived.count);
    for (const { from, to, count } of alignRuns([arrived], runs)) {
      this.add(reduces ? reduce : copy, lane, step, transfer, from, to, count);
    }
  }

  private moveLocally(
    { transfer, lane, reduces, move, nanoseconds }: LocalMove,
    snapshot: number | undefined,
    step: number,
  ): void {
    const { to, count } = move;
    this.add(reduces ? reduce : copy, lane, step, transfer, snapshot ?? move.from, to, count, nanoseconds);
  }

  /** Adds a copy that belongs to no transfer. */
  private moveOnce({ from, to, count }: CellMove, step: number): void {
    this.program.add({
      kind: copy,
      lane: localLane,
      step,
      firstRead: from,
      readCount: count,
      firstWritten: to,
      writtenCount: count,
      receivedFirst: false,
      peer: -1,
      channel: 0,
      origin: undefined,
    });
  }

  /**
   * @param from the first cell that is read, or `none`
   * @param to the first cell that is written, or `none`
   */
  private add(
    kind: number,
    lane: number,
    step: number,
    transfer: number,
    from: number,
    to: number,
    count: number,
    nanoseconds?: number,
  ): void {
    const { steps } = this.facts.schedule;
    const isMessage = kind === send || kind === recv || kind === recvReduce;
    const reduces = kind === reduce || kind === recvReduce;
    this.program.add({
      kind,
      lane,
      step,
      firstRead: from,
      readCount: from === none ? 0 : count,
      firstWritten: to,
      writtenCount: to === none ? 0 : count,
      receivedFirst: reduces && steps.order[transfer] === 1,
      peer: !isMessage ? -1 : kind === send ? steps.destination[transfer] : steps.source[transfer],
      channel: isMessage ? steps.channel[transfer] : 0,
      origin: steps.origins[steps.origin[transfer]],
      nanoseconds,
    });
  }
}

function lengthOf(runs: readonly CellRun[]): number {
  let count = 0;
  for (const run of runs) count += run.count;
  return count;
}
