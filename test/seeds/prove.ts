/** Proves a shipped schedule at every number of ranks it claims up to 64: in and out of place, several roots, segments. */
import { expect } from 'vitest';
import { collectiveFacts } from '../../src/ir/collective.ts';
import type { Schedule } from '../../src/ir/schedule.ts';
import { lower } from '../../src/lower/index.ts';
import { loadScheduleFile, type ScheduleFile, type ScheduleRequest } from '../../src/read/index.ts';
import { verify } from '../../src/verify/index.ts';
import { claims, scheduleOf } from './library.ts';

const most = 64;

/** Numbers of ranks that a schedule says it works for. */
export function claimedRanks(name: string): number[] {
  return Array.from({ length: most }, (_, index) => index + 1).filter((ranks) => claims(name, ranks));
}

/** Every root of few ranks; of many the first, and one that moves with N. */
function rootsOf(file: ScheduleFile, ranks: number): readonly number[] {
  if (!collectiveFacts[file.collective].rooted) return [0];
  if (ranks <= 6) return Array.from({ length: ranks }, (_, root) => root);
  return ranks % 2 === 0 ? [(ranks * 5 + 2) % (ranks - 1)] : [0, ranks - 1];
}

function expectCorrect(schedule: Schedule, what: string): void {
  const { verdict, findings } = verify(lower(schedule), {});
  if (verdict !== 'correct') expect.fail(`${what}: ${verdict}: ${findings[0]?.message}`);
}

/** Verifies a schedule at one number of ranks; operators are taken not to commute if the schedule allows it. */
export function proveAt(name: string, ranks: number): void {
  const file = loadScheduleFile(name);
  const ordered = collectiveFacts[file.collective].reduces && claims(name, ranks, { ordered: true });
  for (const root of rootsOf(file, ranks)) {
    for (const inPlace of [false, true]) {
      const changes: Partial<ScheduleRequest> = { root, ordered, inPlace };
      const schedule = scheduleOf(name, ranks, changes);
      expectCorrect(schedule, `N = ${ranks}, root ${root}${inPlace ? ', in place' : ''}`);
      if (file.tunable && ranks <= 12) {
        const chunks = 3 * schedule.collective.chunks;
        expectCorrect(scheduleOf(name, ranks, { ...changes, chunks }), `N = ${ranks}, root ${root}, ${chunks} chunks`);
      }
    }
  }
}
