/**
 * Checks the boundaries of a call. Data that other gpus write to a gpu's input and output must be there when its program ends, which is modelled as
 * the end reading all of both. Conflicts with the previous or next call do not make this one wrong, so that they are warnings.
 */
import type { Finding } from '../../ir/verification.ts';
import { CheckFindings } from '../../verify/explain/findings.ts';
import { type Access, accessLines, accessPlaces, verb } from './accesses.ts';
import { type EventGraph, Strength } from './graph.ts';
import type { CellLayout } from './layout.ts';
import type { Ordering } from './ordering.ts';
import { AnchorReach } from './precedence.ts';
import type { EventProgram } from './program.ts';

export interface CallReport {
  readonly races: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** Conflicts between consecutive calls. */
type Hazard = 'start' | 'relaxed' | 'end' | 'packets';

export function checkCalls(
  { graph, starts, ends }: EventProgram,
  ordering: Ordering,
  layout: CellLayout,
  byCell: readonly (readonly Access[])[],
): CallReport {
  const { order } = ordering;
  const begun = new AnchorReach(graph, Strength.execution, order, starts, 'forward');
  const ended = new AnchorReach(graph, Strength.execution, order, ends, 'backward');
  const inMemory = new AnchorReach(graph, Strength.memory, order, ends, 'backward');
  const byPacket = new AnchorReach(graph, Strength.packet, order, ends, 'backward');
  const races = new CheckFindings('race');
  const warnings = new Map<Hazard, Access>();
  const told = new Set<string>();
  const warn = (hazard: Hazard, access: Access): void => {
    if (!warnings.has(hazard)) warnings.set(hazard, access);
  };
  /** Whether the readers of a packet have read it before its writer may write it again. */
  const isTaken = ({ event, cell, span }: Access): boolean => {
    const { gpu } = graph.events[event];
    if (layout.plan.doubleScratch) return begun.has(ends[gpu], span.gpu);
    if (begun.has(event, span.gpu)) return true;
    return (ordering.packets.readers.get(cell) ?? []).every((reader) => ended.has(reader, gpu));
  };
  for (const access of byCell.flat()) {
    const { event, writes, cell, span } = access;
    const { gpu } = span;
    if (!span.packets && !begun.has(event, gpu)) warn('start', access);
    if (span.packets && writes && graph.events[event].gpu !== gpu && !isTaken(access)) warn('packets', access);
    if (inMemory.has(event, gpu) || (!writes && byPacket.has(event, gpu))) continue;
    const isScratch = span.buffer === 'scratch';
    if (ended.has(event, gpu)) {
      if (writes && !isScratch) warn('relaxed', access);
    } else if (!writes || isScratch) {
      // The next call uses the other half of scratch.
      if (!isScratch || !layout.plan.doubleScratch) warn('end', access);
    } else if (!told.has(`${accessPlaces(graph, access)} ${gpu}`)) {
      told.add(`${accessPlaces(graph, access)} ${gpu}`);
      races.add(() => ({
        message:
          `${graph.nameOf(event)} writes ${layout.nameOf(cell, span)}, and the program of gpu ${gpu} may have ended before. ` +
          `Missing: a signal on gpu ${graph.events[event].gpu} behind it, and on gpu ${gpu} a wait for it.`,
        story: accessLines(graph, [access], layout),
      }));
    }
  }
  return {
    races: races.list(),
    warnings: [...warnings].map(([hazard, first]) => warning(hazard, first, graph, layout)),
  };
}

function warning(hazard: Hazard, access: Access, graph: EventGraph, layout: CellLayout): Finding {
  const { event, cell, span } = access;
  const { gpu } = span;
  const who = `${graph.nameOf(event)} ${verb(access)} ${layout.nameOf(cell, span)}`;
  const texts: Readonly<Record<Hazard, string>> = {
    start: `${who} without knowing that gpu ${gpu} has begun: what ran there before may still use its buffers.`,
    relaxed: `${who}, of which gpu ${gpu} learns by relaxed signals only: they do not order memory, and its result may come late.`,
    end: `${who}, and gpu ${gpu} may have ended before: what runs there next must not change its buffers yet.`,
    packets: `${who}, and may do so for a later call before gpu ${gpu} has read what this one brought.`,
  };
  const story = accessLines(graph, [access], layout);
  return { severity: 'warning', code: 'race', message: texts[hazard], story };
}
