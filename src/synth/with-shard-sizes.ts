import { withCounts } from '../passes/index.ts';
import type { Engine, Proposal } from './engine.ts';

/**
 * Engines build schedules in chunks regardless of their sizes. For collectives with counts, this gives the shards of
 * their candidates the requested sizes.
 */
export function withShardSizes(engine: Engine): Engine {
  return {
    ...engine,
    *propose(problem): Iterable<Proposal> {
      const { counts } = problem.collective;
      for (const proposal of engine.propose(problem)) {
        if (counts === undefined || proposal.kind === 'dismissed') yield proposal;
        else {
          const { candidate } = proposal;
          const build = (multiple: number) => withCounts(candidate.build(multiple), counts);
          yield { kind: 'candidate', candidate: { ...candidate, build } };
        }
      }
    },
  };
}
