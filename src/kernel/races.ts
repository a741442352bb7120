/**
 * Section 5 of docs/verification.md: there is no data race. Any two accesses to a cell, one of them a write, are in the same order in every run. Along
 * one run it is enough to ask about neighbours, since "before" is transitive.
 */
import type { Layout } from './form.ts';
import { type EventGraph, eventOf, operationOf } from './order.ts';
import { none, Refusal } from './refusal.ts';
import { bufferCode, intAt, isReceive, itemAt, operationCode, type PlanTables } from './tables.ts';

/** Is node `earlier` before node `later` in every run? Both belong to one rank. Their events happen in this order in the run at hand. */
interface Question {
  readonly earlier: number;
  readonly later: number;
}

/** Between which nodes an event owns the slots that it reads and writes: the instant at which it happens, or from its posting until it is done. */
interface Ownership {
  readonly from: number;
  readonly until: number;
}

/** What is checked: a plan, its graph, and the nodes and events of one run. */
interface CheckedRun {
  readonly plan: PlanTables;
  readonly layout: Layout;
  readonly graph: EventGraph;
  /** All nodes in an order that the graph allows. */
  readonly run: Int32Array;
  /** All events in the order in which they happen there. */
  readonly happening: Int32Array;
}

/** @throws Refusal 'race'; 'limit' if the search would take too long */
export function checkRaces(checked: CheckedRun, ownsFromPosting: boolean): void {
  const { phases } = checked.graph;
  const ownership = ownsFromPosting
    ? { from: phases.posted, until: phases.done }
    : { from: phases.happens, until: phases.happens };
  const questions = new AccessHistory(checked, ownership).questions();
  const race = new Sweeper(checked).firstUnordered(questions);
  if (race === undefined) return;
  const { graph } = checked;
  const other = operationOf(graph, eventOf(graph, race.earlier));
  const operation = operationOf(graph, eventOf(graph, race.later));
  throw new Refusal('race', `it is not ordered with operation ${other}, which touches the same memory`, operation);
}

/** Goes along a run, remembers by cell the last write and the reads since, and collects what has to be ordered. */
class AccessHistory {
  private readonly checked: CheckedRun;
  private readonly ownership: Ownership;
  /** By cell: the event that wrote it last, or `none`. */
  private readonly lastWrite: Int32Array;
  /** By cell: the last of the reads since the last write, as an index of the two columns below, or `none`. */
  private readonly lastRead: Int32Array;
  /** By read: the event, and the read of the same cell before it, or `none`. */
  private readonly reader: Int32Array;
  private readonly olderRead: Int32Array;
  private reads = 0;
  /** By rank. */
  private readonly asked: Question[][];

  constructor(checked: CheckedRun, ownership: Ownership) {
    const { plan, layout, graph } = checked;
    this.checked = checked;
    this.ownership = ownership;
    this.lastWrite = new Int32Array(layout.cells).fill(none);
    this.lastRead = new Int32Array(layout.cells).fill(none);
    // Of the bulks that are written out two touch memory that others touch: the first, and the one that uses the first one's scratch again.
    const maxReads = layout.movedInAll * (graph.events > graph.operations ? 2 : 1);
    this.reader = new Int32Array(maxReads);
    this.olderRead = new Int32Array(maxReads);
    this.asked = plan.buffers.map(() => []);
  }

  /** The questions about each rank's memory. */
  questions(): readonly Question[][] {
    const { plan, layout, graph, happening } = this.checked;
    const { ops, scratchPerBulk } = plan;
    for (let i = 0; i < happening.length; i++) {
      const event = intAt(happening, i);
      const o = operationOf(graph, event);
      const kind = intAt(ops.kind, o);
      // Other bulks have an input and an output of their own, and of the bulks that are written out only the last one uses this copy of scratch again.
      const isFirstBulk = event < graph.operations;
      const reusesScratch = event >= scratchPerBulk * graph.operations;
      const shares = (buffer: number): boolean => isFirstBulk || (reusesScratch && buffer === bufferCode.scratch);
      const moved = intAt(layout.moved, o);
      if (!isReceive(kind) && shares(intAt(ops.srcBuffer, o))) this.read(event, intAt(layout.sourceCell, o), moved);
      // A reduction also reads what it writes, which asks for nothing more than the write does.
      if (kind !== operationCode.send && shares(intAt(ops.dstBuffer, o)))
        this.write(event, intAt(layout.targetCell, o), moved);
    }
    return this.asked;
  }

  /** A read comes after the last write. */
  private read(event: number, firstCell: number, moved: number): void {
    for (let cell = firstCell; cell < firstCell + moved; cell++) {
      this.ask(intAt(this.lastWrite, cell), event);
      this.reader[this.reads] = event;
      this.olderRead[this.reads] = intAt(this.lastRead, cell);
      this.lastRead[cell] = this.reads++;
    }
  }

  /** A write comes after all reads since the last write, and after that write if there are none. */
  private write(event: number, firstCell: number, moved: number): void {
    for (let cell = firstCell; cell < firstCell + moved; cell++) {
      const lastRead = intAt(this.lastRead, cell);
      if (lastRead === none) this.ask(intAt(this.lastWrite, cell), event);
      for (let read = lastRead; read !== none; read = intAt(this.olderRead, read))
        this.ask(intAt(this.reader, read), event);
      this.lastWrite[cell] = event;
      this.lastRead[cell] = none;
    }
  }

  /** Asks whether an event is done with a cell before another one begins. Lane order answers for two events of one lane. */
  private ask(earlierEvent: number, laterEvent: number): void {
    const { layout, graph } = this.checked;
    if (earlierEvent === none) return;
    const [first, second] = [operationOf(graph, earlierEvent), operationOf(graph, laterEvent)];
    if (intAt(layout.laneOf, first) === intAt(layout.laneOf, second)) return;
    const earlier = graph.nodesPerEvent * earlierEvent + this.ownership.until;
    const later = graph.nodesPerEvent * laterEvent + this.ownership.from;
    const asked = itemAt(this.asked, intAt(layout.rankOf, second));
    const last = asked.at(-1);
    // Slices of several cells ask the same about each of them.
    if (last === undefined || last.earlier !== earlier || last.later !== later) asked.push({ earlier, later });
  }
}

/** A sweep answers as many questions at once as a mark has bits. */
const questionsPerSweep = 32;
const maxSteps = 2 ** 32;

/** Answers questions by sweeps along parts of a run. */
class Sweeper {
  private readonly checked: CheckedRun;
  /** By node: its position among the nodes that are swept. What is left of earlier sweeps is told by comparing. */
  private readonly position: Int32Array;
  /** By position: bit b says that the node is the earlier one of question b, or comes after it. */
  private readonly marks: Int32Array;
  private steps = 0;

  constructor(checked: CheckedRun) {
    this.checked = checked;
    this.position = new Int32Array(checked.run.length);
    this.marks = new Int32Array(checked.run.length);
  }

  /** A question to which the answer is no. What a rank does by itself orders nearly all accesses to its memory; the whole run decides about the rest. */
  firstUnordered(questionsByRank: readonly Question[][]): Question | undefined {
    const nodes = this.nodesByRank();
    const undecided = questionsByRank.flatMap((questions, rank) => this.unordered(itemAt(nodes, rank), questions));
    return this.unordered(this.checked.run, undecided)[0];
  }

  /** The nodes of each rank in the order of the run. */
  private nodesByRank(): Int32Array[] {
    const { plan, layout, graph, run } = this.checked;
    const nodes = plan.buffers.map((): number[] => []);
    for (const node of run) itemAt(nodes, intAt(layout.rankOf, operationOf(graph, eventOf(graph, node)))).push(node);
    return nodes.map((list) => Int32Array.from(list));
  }

  /** Those of the questions to which no path through the given nodes says yes. */
  private unordered(nodes: Int32Array, questions: readonly Question[]): Question[] {
    for (let i = 0; i < nodes.length; i++) this.position[intAt(nodes, i)] = i;
    const sorted = questions.toSorted((a, b) => intAt(this.position, a.earlier) - intAt(this.position, b.earlier));
    const open: Question[] = [];
    for (let q = 0; q < sorted.length; q += questionsPerSweep) {
      open.push(...this.sweep(nodes, sorted.slice(q, q + questionsPerSweep)));
    }
    return open;
  }

  /** Marks the earlier node of each question, and every node that comes after a marked one. Returns the questions whose later node has no mark. */
  private sweep(nodes: Int32Array, questions: readonly Question[]): readonly Question[] {
    const { position, marks } = this;
    const start = questions.reduce((first, { earlier }) => Math.min(first, intAt(position, earlier)), nodes.length);
    const end = questions.reduce((last, { later }) => Math.max(last, intAt(position, later) + 1), start);
    this.steps += end - start;
    if (this.steps > maxSteps) throw new Refusal('limit', 'the search for races takes more than 2 ** 32 steps');
    marks.fill(0, start, end);
    for (const [bit, { earlier }] of questions.entries())
      marks[intAt(position, earlier)] = intAt(marks, intAt(position, earlier)) | (1 << bit);
    for (let i = start; i < end; i++) marks[i] = intAt(marks, i) | this.marksBefore(nodes, i, start);
    return questions.filter(({ earlier, later }, bit) => {
      // An event may be posted before another one is done, and happen after it. Such a node stands first in the run, perhaps outside of the sweep.
      const comesFirst = intAt(position, later) < intAt(position, earlier);
      return comesFirst || (intAt(marks, intAt(position, later)) & (1 << bit)) === 0;
    });
  }

  /** The marks of the direct predecessors of a node that are swept too. */
  private marksBefore(nodes: Int32Array, i: number, start: number): number {
    const { position, marks } = this;
    const { firstPredecessor, predecessors } = this.checked.graph;
    const node = intAt(nodes, i);
    let found = 0;
    for (let edge = intAt(firstPredecessor, node); edge < intAt(firstPredecessor, node + 1); edge++) {
      const predecessor = intAt(predecessors, edge);
      const earlier = intAt(position, predecessor);
      if (earlier >= start && nodes[earlier] === predecessor) found |= intAt(marks, earlier);
    }
    return found;
  }
}
