/** Proves a shipped schedule at numbers of ranks that it claims: in and out of place, several roots, segments. */
import { expect } from 'vitest';
import { collectiveFacts } from '../../src/ir/collective.ts';
import type { Schedule } from '../../src/ir/schedule.ts';
import { lower } from '../../src/lower/index.ts';
import { loadScheduleFile, type ScheduleFile, type ScheduleRequest } from '../../src/read/index.ts';
import { verify } from '../../src/verify/index.ts';
import { testFactor } from '../draw.ts';
import { claims, scheduleOf } from './library.ts';

const most = 64;
/** Up to this many ranks a schedule is proved for every number of them in the long tests. */
const mostOneByOne = 17;
/** More ranks for which it is: around powers of two, and composite numbers of several kinds. */
const larger = [24, 31, 32, 33, 36, 64];

/** Numbers of ranks that a schedule says it works for. */
export function claimedRanks(name: string): number[] {
  return Array.from({ length: most }, (_, index) => index + 1).filter((ranks) => claims(name, ranks));
}

/**
 * Those of them that a schedule is proved for: all in `npm run test:exhaustive`, few large ones in the long tests. Mistakes in the formulas of a schedule show at few
 * ranks: a mistake that spares 1 … 17 and the larger ones has not been found.
 */
export function ranksToProve(name: string): number[] {
  return representativeRanks(claimedRanks(name));
}

/** Of numbers of ranks in a range those that are tried in the long tests; `npm run test:exhaustive` tries all. */
export function representativeRanks(ranks: readonly number[]): number[] {
  return ranks.filter((count) => testFactor > 1 || count <= mostOneByOne || larger.includes(count));
}

interface Setting {
  readonly root: number;
  readonly inPlace: boolean;
}

/** All roots of few ranks, some of more, one that moves with N of many; in place and out of place, of many ranks by turns. */
function settingsOf(file: ScheduleFile, ranks: number): readonly Setting[] {
  const rooted = collectiveFacts[file.collective].rooted;
  const moving = rooted ? (5 * (ranks >> 1) + 2) % ranks : 0;
  if (ranks > 20) return [{ root: moving, inPlace: (ranks >> 1) % 2 === 0 }];
  const roots = !rooted ? [0] : ranks <= 6 ? Array.from({ length: ranks }, (_, root) => root) : [0, moving, ranks - 1];
  return roots.flatMap((root) => [false, true].map((inPlace) => ({ root, inPlace })));
}

function expectCorrect(schedule: Schedule, what: string): void {
  const { verdict, findings } = verify(lower(schedule), {});
  if (verdict !== 'correct') expect.fail(`${what}: ${verdict}: ${findings[0]?.message}`);
}

/** Verifies a schedule at one number of ranks; operators are taken not to commute if the schedule allows it. */
export function proveAt(name: string, ranks: number): void {
  const file = loadScheduleFile(name);
  const ordered = collectiveFacts[file.collective].reduces && claims(name, ranks, { ordered: true });
  for (const { root, inPlace } of settingsOf(file, ranks)) {
    const changes: Partial<ScheduleRequest> = { root, ordered, inPlace };
    const schedule = scheduleOf(name, ranks, changes);
    expectCorrect(schedule, `N = ${ranks}, root ${root}${inPlace ? ', in place' : ''}`);
    if (ranks <= 12) {
      const chunks = 3 * schedule.collective.chunks;
      expectCorrect(scheduleOf(name, ranks, { ...changes, chunks }), `N = ${ranks}, root ${root}, ${chunks} chunks`);
    }
  }
}
