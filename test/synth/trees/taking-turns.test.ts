/** Trees take turns on what their messages share: a rank's messages to all others go over its one link to a switch. */
import { expect, it } from 'vitest';
import { optimality, searchDefaults, searchPlan } from '../../../src/index.ts';
import { resolveTopology, withoutParts } from '../../../src/read/index.ts';
import { collectiveOf } from '../../collectives.ts';

it('keeps a link to a switch busy in a reducescatter of cards, one of which has lost its own', () => {
  const topology = withoutParts(resolveTopology('sg2260-cards:10'), ['link:2-switch 0']);
  const collective = collectiveOf('reducescatter', topology.chips.length);
  const request = {
    ...searchDefaults,
    collective,
    topology,
    size: 2 ** 20,
    engine: 'trees',
    effort: 'quick',
  } as const;
  const { bundle } = searchPlan(request);
  // By turns on connections, whatever these share, it reaches 0.84, and without turns 0.75.
  expect(optimality(bundle.bound.seconds, bundle.cost.seconds)).toBeGreaterThan(0.85);
});
