/** Expands the statements of a schedule file: evaluates loops and names, and emits transfers between ranks. */

import { type Collective, inputChunks, outputChunks } from '../../ir/collective.ts';
import { CccError, type SourceRange } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import { dataWindow, type Piece, type Steps, StepsBuilder, scheduleBuffers, type Transfer } from '../../ir/schedule.ts';
import { counted } from '../../ir/units.ts';
import { type CompiledExpression, ExpansionBudget, type Frame, repeat, type Scope } from '../expression/index.ts';
import { Extents } from './extents.ts';
import { addSlice, type BufferSizes } from './slices.ts';
import type { ComputeBody, ScheduleStatement, SliceEntry, TransferBody } from './statements.ts';

/** The largest channel, and the largest time of a computation in nanoseconds: tables have 31 bits for them. */
const most = 2 ** 31 - 1;
/** The channel of computations, so that packing and copies on channel 0 do not wait for them. */
const computingChannel = 1;

/** A transfer as it is emitted: its place in the file, its step (from 0), and the loop variables as text: ` (with s = 1, r = 2)`. */
export interface MadeTransfer {
  readonly range: SourceRange;
  readonly step: number;
  readonly source: number;
  readonly destination: number;
  readonly loopValues: string;
}

/** One expansion of a file's statements. */
export class Expansion implements BufferSizes {
  readonly chunks: number;
  private readonly collective: Collective;
  private readonly limits: Limits;
  private readonly frame: Frame;
  private readonly budget: ExpansionBudget;
  private readonly steps = new StepsBuilder();
  private readonly dataSize: number;
  private readonly scratch: number;
  /** By rank: chunks of scratch that the computations of the current step occupy; and the maximum over all steps and ranks. */
  private readonly taken = new Map<number, number>();
  private mostTaken = 0;
  /** Copies of computed results back to their places, to be emitted after the step. */
  private results: Transfer[] = [];
  private readonly what = new Extents();
  private readonly into = new Extents();
  /** Pieces of messages that the limit on operations still allows: it counts every piece. */
  private piecesLeft: number;
  /** Called with every transfer, for explanations. */
  private readonly onTransfer: ((made: MadeTransfer) => void) | undefined;

  constructor(
    collective: Collective,
    scratch: number,
    frame: Frame,
    limits: Limits,
    onTransfer?: (made: MadeTransfer) => void,
  ) {
    this.collective = collective;
    this.onTransfer = onTransfer;
    this.chunks = collective.chunks;
    this.scratch = scratch;
    this.limits = limits;
    this.piecesLeft = limits.operations;
    this.frame = frame;
    this.budget = new ExpansionBudget(limits.evaluations);
    this.dataSize = dataWindow(collective, 0).size;
  }

  /** Expands all statements; an expansion runs once. */
  run(statements: readonly ScheduleStatement[]): Steps {
    this.runAll(statements);
    return this.steps.build();
  }

  /** Chunks of scratch beyond the file's own, in which computations work. */
  get computingScratch(): number {
    return this.mostTaken;
  }

  sizeOf(buffer: number, rank: number): number {
    switch (scheduleBuffers[buffer]) {
      case 'data':
        return this.dataSize;
      case 'input':
        return inputChunks(this.collective, rank);
      case 'output':
        return outputChunks(this.collective, rank);
      case 'scratch':
        return this.scratch;
    }
  }

  private runAll(statements: readonly ScheduleStatement[]): void {
    for (const statement of statements) this.runOne(statement);
  }

  private runOne({ modifiers, body }: ScheduleStatement): void {
    switch (body.kind) {
      case 'do':
        repeat(modifiers, this.frame, this.budget, () => this.runAll(body.statements));
        return;
      case 'step':
        repeat(modifiers, this.frame, this.budget, () => {
          this.runAll(body.statements);
          this.steps.endStep(body.rounds === undefined ? 0 : this.roundsOf(body.rounds, modifiers.scope));
          this.putBack();
        });
        return;
      case 'compute':
        repeat(modifiers, this.frame, this.budget, () => this.compute(body, modifiers.scope));
        return;
      case 'transfer':
        repeat(modifiers, this.frame, this.budget, () => this.transfer(body, modifiers.scope));
        return;
    }
  }

  private roundsOf(rounds: CompiledExpression, scope: Scope): number {
    const value = rounds.evaluate(this.frame);
    if (value >= 1 && value <= most) return value;
    throw this.error('range', `rounds must be at least 1, not ${value}`, scope, rounds.range);
  }

  private transfer(body: TransferBody, scope: Scope): void {
    this.budget.spend(body.weight, body.range);
    const source = this.rankOf(body.source, scope);
    const destination = this.rankOf(body.destination, scope);
    const channel = body.channel === undefined ? 0 : this.channelOf(body.channel, scope);
    const { what, into } = this;
    this.collect(body.what, source, what);
    this.collect(body.into ?? body.what, destination, into);
    if (what.total !== into.total) {
      const message =
        body.into === undefined
          ? `this is ${counted(what.total, 'chunk')} on rank ${source} and ${into.total} on rank ${destination}; say where they go with 'into'`
          : `'what' is ${counted(what.total, 'chunk')}, 'into' is ${into.total}`;
      throw this.error('range', message, scope, body.intoRange);
    }
    if (what.total === 0) return;
    const { operation: kind, order, range: origin } = body;
    this.steps.startTransfer({ kind, source, destination, channel, order, origin });
    if (this.onTransfer !== undefined) {
      const step = this.steps.closedSteps;
      this.onTransfer({ range: origin, step, source, destination, loopValues: scope.loopValues(this.frame) });
    }
    this.piecesLeft -= this.addPieces();
    if (this.piecesLeft < 0) throw this.tooMany(scope, body.range);
  }

  /** Emits a computation as a copy of its operands into scratch, which takes its time, and a copy of its results back after the step. */
  private compute(body: ComputeBody, scope: Scope): void {
    this.budget.spend(body.weight, body.range);
    const rank = this.rankOf(body.rank, scope);
    const time = body.time.evaluate(this.frame) * body.unit;
    if (!(time >= 0 && time <= most)) {
      const message = `a time is between 0 and ${most} ns, not ${time} ns`;
      throw this.error('range', message, scope, body.time.range);
    }
    const channel = body.channel === undefined ? computingChannel : this.channelOf(body.channel, scope);
    const first = this.scratch + (this.taken.get(rank) ?? 0);
    const common = { kind: 'copy', source: rank, destination: rank, channel, order: 'held-first' } as const;
    this.collect(body.reads, rank, this.what);
    const reads = this.piecesTo(this.what, first);
    this.collect(body.writes, rank, this.what);
    const writes = this.piecesTo(this.what, first + lengthOf(reads));
    const pieces = [...reads, ...writes];
    if (pieces.length === 0) return;
    this.piecesLeft -= pieces.length + writes.length;
    if (this.piecesLeft < 0) throw this.tooMany(scope, body.range);
    const taken = first - this.scratch + lengthOf(pieces);
    this.taken.set(rank, taken);
    this.mostTaken = Math.max(this.mostTaken, taken);
    this.steps.add({ ...common, pieces, origin: body.range, nanoseconds: time });
    if (writes.length === 0) return;
    const back = writes.map((piece) => {
      return { ...piece, from: piece.to, fromOffset: piece.toOffset, to: piece.from, toOffset: piece.fromOffset };
    });
    this.results.push({ ...common, pieces: back, origin: body.range, nanoseconds: 0 });
  }

  private piecesTo(extents: Extents, start: number): Piece[] {
    let toOffset = start;
    return Array.from({ length: extents.runs }, (_, run): Piece => {
      const count = extents.count[run];
      const from = scheduleBuffers[extents.buffer[run]];
      const piece: Piece = { from, fromOffset: extents.offset[run], to: 'scratch', toOffset, count };
      toOffset += count;
      return piece;
    });
  }

  /** Emits the copies that end the step's computations. */
  private putBack(): void {
    for (const transfer of this.results) this.steps.add(transfer);
    this.steps.endStep();
    this.results = [];
    this.taken.clear();
  }

  /** Cuts both sides of a message wherever either has a gap; returns the number of pieces. */
  private addPieces(): number {
    const { what, into } = this;
    let [pieces, w, i] = [0, 0, 0];
    let [usedWhat, usedInto] = [0, 0];
    for (; w < what.runs; pieces++) {
      const count = Math.min(what.count[w] - usedWhat, into.count[i] - usedInto);
      const [from, to] = [what.offset[w] + usedWhat, into.offset[i] + usedInto];
      this.steps.addPiece(what.buffer[w], from, into.buffer[i], to, count);
      usedWhat += count;
      usedInto += count;
      if (usedWhat === what.count[w]) [w, usedWhat] = [w + 1, 0];
      if (usedInto === into.count[i]) [i, usedInto] = [i + 1, 0];
    }
    return pieces;
  }

  private rankOf(rank: CompiledExpression, scope: Scope): number {
    const value = rank.evaluate(this.frame);
    if (value >= 0 && value < this.collective.ranks) return value;
    const message = `rank ${value} is out of range: there are ranks 0 … ${this.collective.ranks - 1}`;
    throw this.error('range', message, scope, rank.range);
  }

  private channelOf(channel: CompiledExpression, scope: Scope): number {
    const value = channel.evaluate(this.frame);
    if (value >= 0 && value <= most) return value;
    throw this.error('range', `channel ${value} is out of range: 0 … 2**31 - 1`, scope, channel.range);
  }

  private collect(entries: readonly SliceEntry[], rank: number, extents: Extents): void {
    extents.clear();
    for (const { slice, modifiers } of entries) {
      if (modifiers === undefined) addSlice(slice, rank, this, this.frame, extents);
      else {
        repeat(modifiers, this.frame, this.budget, () => {
          this.budget.spend(slice.weight, slice.range);
          addSlice(slice, rank, this, this.frame, extents);
          if (extents.runs > this.piecesLeft) throw this.tooMany(slice.scope, slice.range);
        });
      }
    }
  }

  private tooMany(scope: Scope, range: SourceRange): CccError {
    const message = `more messages, counted by their pieces, than the limit operations = ${this.limits.operations}`;
    return this.error('limit', message, scope, range);
  }

  private error(code: 'range' | 'limit', message: string, scope: Scope, range: SourceRange): CccError {
    return new CccError(code, `${message}${scope.loopValues(this.frame)}`, range);
  }
}

function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { count }) => sum + count, 0);
}
