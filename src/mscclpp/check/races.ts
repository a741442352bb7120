/**
 * Races in any interleaving: two events that touch a cell, one writing, must be ordered. What was read before is safe from
 * a later write once a packet has come that depends on it; what was written is only there for others by signals that order
 * memory, or in the packet itself.
 */
import type { Finding } from '../../ir/verification.ts';
import { CheckFindings } from '../../verify/story.ts';
import { type Access, accessLines, accessPlaces, verb } from './accesses.ts';
import type { EventGraph } from './graph.ts';
import type { CellLayout } from './layout.ts';
import type { Ordering } from './ordering.ts';
import type { EventProgram } from './program.ts';
import type { StoryLine } from './words.ts';

/** Pairs of operations of which nothing orders the accesses to some cell. */
export function checkElementRaces(
  { graph }: EventProgram,
  ordering: Ordering,
  layout: CellLayout,
  byCell: readonly (readonly Access[])[],
): readonly Finding[] {
  const races = new CheckFindings('race');
  const told = new Set<string>();
  for (const accesses of byCell) {
    for (let b = 1; b < accesses.length; b++) {
      for (let a = 0; a < b; a++) {
        const [one, other] = [accesses[a], accesses[b]];
        if (!(one.writes || other.writes) || isOrdered(one, other, ordering)) continue;
        const key = accessPlaces(graph, one, other);
        if (told.has(key)) continue;
        told.add(key);
        races.add(() => tellRace(graph, layout, one, other, ordering));
      }
    }
  }
  return races.list();
}

function isOrdered(one: Access, other: Access, ordering: Ordering): boolean {
  // An event reads an element before it writes that element; what it does to others is another thread's.
  if (one.event === other.event) return one.writes !== other.writes && one.element === other.element;
  return isBefore(one, other, ordering) || isBefore(other, one, ordering);
}

/** Whether what `one` did is done, and to be seen, when `other` happens. */
function isBefore(one: Access, other: Access, { memory, packet }: Ordering): boolean {
  const enough = !one.writes || one.span.packets ? packet : memory;
  return enough.before(one.event, other.event);
}

function tellRace(
  graph: EventGraph,
  layout: CellLayout,
  one: Access,
  other: Access,
  { execution }: Ordering,
): { readonly message: string; readonly story: readonly StoryLine[] } {
  const what = layout.nameOf(one.cell, one.span);
  const [first, second] = execution.before(other.event, one.event) ? [other, one] : [one, other];
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
    `and nothing orders them. Missing: ${remedy(graph, first, second, execution.before(first.event, second.event))}.`;
  return { message, story: accessLines(graph, [first, second], layout) };
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
