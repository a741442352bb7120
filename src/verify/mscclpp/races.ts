/**
 * Races in any interleaving: two events that touch a cell, one writing, must be ordered. What was read before is safe from
 * a later write once a packet has come that depends on it; what was written is only there for others by signals that order
 * memory, or in the packet itself. The end of a gpu's program reads all of its memory.
 */
import { CccError } from '../../ir/diagnostic.ts';
import type { Finding } from '../../ir/verification.ts';
import { Findings } from '../story.ts';
import type { EventGraph } from './graph.ts';
import type { Layout, Span } from './layout.ts';
import type { Ordering } from './ordering.ts';
import { cellOf } from './packets.ts';
import type { EventProgram } from './program.ts';
import { type StoryLine, storyLine } from './words.ts';

/** One event's touch of a cell. */
interface Access {
  readonly event: number;
  readonly cell: number;
  readonly writes: boolean;
  /** What the operation takes the cell for. */
  readonly span: Span;
}

/** Touches of cells that are looked at. */
const mostAccesses = 8_000_000;

/** All touches, cell by cell. */
function accessesOf({ events }: EventGraph, cells: number): readonly (readonly Access[])[] {
  const byCell: Access[][] = Array.from({ length: cells }, () => []);
  let count = 0;
  const touch = (access: Access): void => {
    if (++count > mostAccesses) throw new CccError('limit', `the plan touches memory more than ${mostAccesses} times`);
    byCell[access.cell]?.push(access);
  };
  const span = (
    event: number,
    { from, count: elements }: { from: number; count: number },
    at: Span,
    writes: boolean,
  ) => {
    for (let element = from; element < from + elements; element++) {
      const cell = cellOf(at, element);
      touch({ event, cell, writes, span: at });
      if (at.packets) touch({ event, cell: cell + 1, writes, span: at });
    }
  };
  events.forEach(({ moves }, event) => {
    for (const part of moves) {
      for (const source of part.move.sources) span(event, part, source, false);
      for (const target of part.move.targets) span(event, part, target, true);
    }
  });
  return byCell;
}

export interface RaceReport {
  readonly races: readonly Finding[];
  /** What goes well in one call and may not where calls follow each other. */
  readonly warnings: readonly Finding[];
}

export function checkRaces(program: EventProgram, ordering: Ordering, layout: Layout): RaceReport {
  const byCell = accessesOf(program.graph, layout.cells);
  const races = new Findings('race');
  const told = new Set<string>();
  for (const accesses of byCell) {
    for (let b = 1; b < accesses.length; b++) {
      for (let a = 0; a < b; a++) {
        const [one, other] = [accesses[a], accesses[b]];
        if (!(one.writes || other.writes) || isOrdered(one, other, ordering)) continue;
        const key = placesOf(program.graph, one, other);
        if (told.has(key)) continue;
        told.add(key);
        races.add(() => tellRace(program.graph, layout, one, other, ordering));
      }
    }
  }
  const atEnds = checkEnds(program, ordering, layout, byCell);
  return { races: [...races.list(), ...atEnds.races], warnings: atEnds.warnings };
}

function placesOf({ events }: EventGraph, ...accesses: readonly Access[]): string {
  return accesses
    .map(({ event, writes }) => {
      const place = events[event].place;
      return `${place?.gpu} ${place?.block} ${place?.index} ${place?.inner?.index} ${writes}`;
    })
    .join(' / ');
}

function isOrdered(one: Access, other: Access, ordering: Ordering): boolean {
  // An event reads an element before it writes that element; two writes of one event are another matter.
  if (one.event === other.event) return one.writes !== other.writes;
  return isBefore(one, other, ordering) || isBefore(other, one, ordering);
}

/** Whether what `one` did is done, and to be seen, when `other` happens. */
function isBefore(one: Access, other: Access, { memory, packet }: Ordering): boolean {
  const enough = !one.writes || one.span.packets ? packet : memory;
  return enough.before(one.event, other.event);
}

function verb({ writes, span }: Access): string {
  return `${writes ? 'writes' : 'reads'}${span.packets ? ' packets of' : ''}`;
}

function tellRace(
  graph: EventGraph,
  layout: Layout,
  one: Access,
  other: Access,
  { execution }: Ordering,
): { readonly message: string; readonly story: readonly StoryLine[] } {
  const what = layout.nameOf(one.cell, one.span);
  const [first, second] = execution.before(other.event, one.event) ? [other, one] : [one, other];
  if (one.event === other.event) {
    return {
      message: `${graph.nameOf(one.event)} writes ${what} twice, and nothing orders its threads.`,
      story: lines(graph, [one], layout),
    };
  }
  const message =
    `${graph.nameOf(first.event)} ${verb(first)} ${what}, which ${graph.nameOf(second.event)} ${verb(second)}, ` +
    `and nothing orders them. Missing: ${remedy(graph, first, second, execution.before(first.event, second.event))}.`;
  return { message, story: lines(graph, [first, second], layout) };
}

function lines({ events }: EventGraph, accesses: readonly Access[], layout: Layout): readonly StoryLine[] {
  return accesses.flatMap((access) => {
    const { place } = events[access.event];
    return place === undefined ? [] : [storyLine(place, `${verb(access)} ${layout.nameOf(access.cell, access.span)}`)];
  });
}

/** The synchronisation that would order two accesses. */
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

/** Memory that others still use when the gpu's program begins or ends. */
function checkEnds(
  { graph, starts, ends }: EventProgram,
  { memory, packet, execution }: Ordering,
  layout: Layout,
  byCell: readonly (readonly Access[])[],
): RaceReport {
  const races = new Findings('race');
  const warnings = new Map<string, { count: number; readonly first: Access }>();
  const warn = (kind: string, access: Access): void => {
    const known = warnings.get(kind);
    if (known === undefined) warnings.set(kind, { count: 1, first: access });
    else known.count++;
  };
  const told = new Set<string>();
  for (const accesses of byCell) {
    for (const access of accesses) {
      const { event, writes, cell, span } = access;
      const { gpu } = span;
      if (!span.packets && !execution.before(starts[gpu], event)) warn('start', access);
      const [scratch, behind] = layout.scratchOf(gpu);
      const isScratch = cell >= scratch && cell < behind;
      if (memory.before(event, ends[gpu])) continue;
      if (!writes && packet.before(event, ends[gpu])) continue;
      if (execution.before(event, ends[gpu])) {
        if (writes && !isScratch) warn('relaxed', access);
        continue;
      }
      if (!writes || isScratch) {
        // The next call has the other half of scratch.
        if (!isScratch || !layout.plan.doubleScratch) warn('end', access);
        continue;
      }
      const key = `${placesOf(graph, access)} ${gpu}`;
      if (told.has(key)) continue;
      told.add(key);
      races.add(() => ({
        message:
          `${graph.nameOf(event)} writes ${layout.nameOf(cell, access.span)}, and the program of gpu ${gpu} may have ended before. ` +
          `Missing: a signal on gpu ${graph.events[event].gpu} behind it, and on gpu ${gpu} a wait for it.`,
        story: lines(graph, [access], layout),
      }));
    }
  }
  return {
    races: races.list(),
    warnings: [...warnings].map(([kind, { first }]) => warning(kind, first, graph, layout)),
  };
}

function warning(kind: string, access: Access, graph: EventGraph, layout: Layout): Finding {
  const { event, cell, span } = access;
  const { gpu } = span;
  const who = `${graph.nameOf(event)} ${verb(access)} ${layout.nameOf(cell, access.span)}`;
  const texts: Readonly<Record<string, string>> = {
    start: `${who} without knowing that gpu ${gpu} has begun: what ran there before may still use its buffers.`,
    relaxed: `${who}, of which gpu ${gpu} learns by relaxed signals only: they do not order memory, and its result may come late.`,
    end: `${who}, and gpu ${gpu} may have ended before: what runs there next must not change its buffers yet.`,
  };
  return { severity: 'warning', code: 'race', message: texts[kind], story: lines(graph, [access], layout) };
}
