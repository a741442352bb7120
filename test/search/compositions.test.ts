/** Engines compose what others propose; what does not go together is left out, and the search goes on. */
import { expect, it } from 'vitest';
import { searchDefaults, searchPlan } from '../../src/index.ts';
import { resolveTopology, withoutParts } from '../../src/read/index.ts';
import { collectiveOf } from '../collectives.ts';

it('leaves out folds of moves that bring a rank what it contributes', () => {
  const topology = withoutParts(resolveTopology('fattree:5,9,2'), ['link:switch 1-switch 5']);
  const collective = collectiveOf('allreduce', topology.chips.length);
  const asked = {
    ...searchDefaults,
    collective,
    topology,
    size: 11 * 1024,
    effort: 'quick' as const,
    engine: 'folding',
  };
  const { bundle, dismissed } = searchPlan(asked);
  expect(bundle.proved.plan.collective.kind).toBe('allreduce');
  expect(dismissed.map(({ reason }) => reason).join('\n')).toContain('cannot be folded');
});
