/**
 * Checks for data races: two events that access a cell, at least one of them writing, must be ordered. A read is safe from a later write once a
 * packet has arrived that depends on the read. Written data is visible to others only through signals that order memory, or in the packet itself.
 *
 * The accesses to a cell are visited in an order in which the events can happen. As in the race check of plans (`src/verify/checks/races.ts`), each
 * access is compared with the last write and the reads since; the rest follows by transitivity, with one exception: a write of plain data must also
 * be ordered in memory before accesses that follow a later packet in the same cell, so that the last write of plain data is kept beside the last
 * write.
 */
import type { Finding } from '../../ir/verification.ts';
import { CheckFindings } from '../../verify/explain/findings.ts';
import { OrderedPairs } from '../../verify/order/ordered-pairs.ts';
import { type Access, accessLines, accessPlaces, verb } from './accesses.ts';
import type { EventGraph } from './graph.ts';
import type { CellLayout } from './layout.ts';
import type { Ordering } from './ordering.ts';
import { type Precedence, PrecedenceQueries } from './precedence.ts';
import type { EventProgram } from './program.ts';
import type { ExecutionStoryLine } from './words.ts';

/** Finds pairs of operations whose accesses to some cell are not ordered. */
export function checkElementRaces(
  { graph }: EventProgram,
  ordering: Ordering,
  layout: CellLayout,
  byCell: readonly (readonly Access[])[],
): readonly Finding[] {
  const scan = new CellScan(graph, ordering);
  for (const accesses of byCell) scan.over(accesses);
  const races = new CheckFindings('race');
  const told = new Set<string>();
  for (const [earlier, later] of scan.unordered()) {
    const [one, other] = earlier.event <= later.event ? [earlier, later] : [later, earlier];
    const key = accessPlaces(graph, one, other);
    if (told.has(key)) continue;
    told.add(key);
    races.add(() => tellRace(graph, layout, one, other, ordering));
  }
  return races.list();
}

type AccessPair = readonly [earlier: Access, later: Access];

/** Pairs that need an order of one strength that the quick test did not find. */
class DoubtfulPairs {
  readonly pairs = new OrderedPairs();
  private readonly precedence: Precedence;
  private readonly known = new Set<number>();
  private readonly events: number;

  constructor(precedence: Precedence, events: number) {
    this.precedence = precedence;
    this.events = events;
  }

  /** @param number identifies the pair in `unordered` */
  check(earlier: number, later: number, number: number): void {
    const key = earlier * this.events + later;
    if (this.known.has(key)) return;
    this.known.add(key);
    if (!this.precedence.isSeenBefore(earlier, later)) this.pairs.push(earlier, later, number, 0);
  }

  unordered(found: (number: number) => void): void {
    this.precedence.findUnordered(this.pairs, (pair) => found(this.pairs.cell.at(pair)));
  }
}

class CellScan {
  private readonly place: Int32Array;
  private readonly checked: AccessPair[] = [];
  private readonly inMemory: DoubtfulPairs;
  private readonly byPacket: DoubtfulPairs;
  /** Numbers of pairs that nothing can order: accesses of one event by different threads. */
  private readonly racing: number[] = [];

  constructor({ events }: EventGraph, { place, memory, packet }: Ordering) {
    this.place = place;
    this.inMemory = new DoubtfulPairs(memory, events.length);
    this.byPacket = new DoubtfulPairs(packet, events.length);
  }

  over(accesses: readonly Access[]): void {
    const sorted = [...accesses].sort((a, b) => this.place[a.event] - this.place[b.event]);
    let lastWrite: Access | undefined;
    let lastPlainWrite: Access | undefined;
    let reads: Access[] = [];
    for (let from = 0; from < sorted.length; ) {
      let to = from + 1;
      while (to < sorted.length && sorted[to].event === sorted[from].event) to++;
      const group = sorted.slice(from, to);
      this.withinEvent(group);
      const write = group.find(({ writes }) => writes);
      for (const earlier of [lastWrite, lastPlainWrite]) if (earlier !== undefined) this.check(earlier, group[0]);
      if (write !== undefined) for (const earlier of reads) this.check(earlier, write);
      if (write === undefined) reads.push(group[0]);
      else {
        reads = [];
        lastWrite = write;
        if (!write.span.packets) lastPlainWrite = write;
      }
      from = to;
    }
  }

  /** The pairs that nothing orders, in the order in which cells were visited. */
  unordered(): readonly AccessPair[] {
    const found = [...this.racing];
    this.inMemory.unordered((pair) => found.push(pair));
    this.byPacket.unordered((pair) => found.push(pair));
    return [...new Set(found)].sort((a, b) => a - b).map((pair) => this.checked[pair]);
  }

  private check(earlier: Access, later: Access): void {
    const number = this.checked.push([earlier, later]) - 1;
    const needed = earlier.writes && !earlier.span.packets ? this.inMemory : this.byPacket;
    needed.check(earlier.event, later.event, number);
  }

  /** Checks accesses within an event. A thread reads an element before it writes that element; accesses to other elements belong to other threads. */
  private withinEvent(group: readonly Access[]): void {
    for (let b = 1; b < group.length; b++) {
      for (let a = 0; a < b; a++) {
        const [one, other] = [group[a], group[b]];
        if (!one.writes && !other.writes) continue;
        if (one.writes !== other.writes && one.element === other.element) continue;
        this.racing.push(this.checked.push([one, other]) - 1);
      }
    }
  }
}

function tellRace(
  graph: EventGraph,
  layout: CellLayout,
  one: Access,
  other: Access,
  { execution, place }: Ordering,
): { readonly message: string; readonly story: readonly ExecutionStoryLine[] } {
  const what = layout.nameOf(one.cell, one.span);
  const queries = new PrecedenceQueries(execution, place);
  const [forward, backward] = [queries.ask(one.event, other.event), queries.ask(other.event, one.event)];
  const [first, second] = queries.answer(backward) ? [other, one] : [one, other];
  if (one.event === other.event) {
    const does =
      one.writes && other.writes ? `writes ${what} twice` : `reads ${what} for one place and writes it from another`;
    return {
      message: `${graph.nameOf(one.event)} ${does}, and nothing orders its threads.`,
      story: accessLines(graph, [one], layout),
    };
  }
  const message =
    `${graph.nameOf(first.event)} ${verb(first)} ${what}, which ${graph.nameOf(second.event)} ${verb(second)}, ` +
    `and nothing orders them. Missing: ${remedy(graph, first, second, queries.answer(forward) || queries.answer(backward))}.`;
  return { message, story: accessLines(graph, [first, second], layout) };
}

/** Suggests a synchronisation that would order two accesses. */
function remedy({ events }: EventGraph, first: Access, second: Access, inExecution: boolean): string {
  const [a, b] = [events[first.event], events[second.event]];
  const [from, to] = [a.place, b.place];
  if (a.kind === 'transfer') {
    return 'a flush of the port channel, or a signal behind the put that its receiver waits for';
  }
  if (inExecution) return 'a signal and a wait that order memory in place of relaxed ones or of packets';
  if (from === undefined || to === undefined || from.gpu !== to.gpu) {
    return `a nop and a signal on gpu ${a.gpu} behind the first, and on gpu ${b.gpu} a wait for it and a nop before the second (or the other way round)`;
  }
  if (from.block !== to.block) {
    return `a nop and a sem_release in block ${from.block}, and a sem_acquire and a nop in block ${to.block} (or a barrier of both)`;
  }
  return 'a nop between them';
}
