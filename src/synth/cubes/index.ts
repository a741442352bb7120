/**
 * The cubes engine: where the links hold a hypercube, allreduces of few messages in a row that use all of its edges at any time. They are those along
 * its axes: recursive doubling with a part of the vector for each dimension, each of which takes the dimensions in another order, so that all links are
 * busy (Johnsson and Ho, "Optimum broadcasting and personalized communication in hypercubes", IEEE Trans. Computers 38, 1989, rotate dimensions in this
 * way). Recursive halving before and its reverse afterwards along some of the dimensions saves bytes and costs a message in a row for each: with h of d
 * dimensions halved, a link carries M/d · (2(1 − 2⁻ʰ) + (d − h)·2⁻ʰ) in d + h messages.
 */
import { keepsRankOrder } from '../../ir/collective.ts';
import { relabel } from '../../passes/index.ts';
import { type Candidate, dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { reducedAlongAxes } from '../symmetric/along-axes.ts';
import type { Axis } from '../symmetric/axis-paths.ts';
import { chunksAlong } from '../symmetric/axis-phases.ts';
import { cornersOf } from './corners.ts';

export const cubes: Engine = {
  name: 'cubes',
  about: 'allreduces by exchange along the edges of a hypercube, where the links hold one',
  propose,
};

/** On machines with more than so many times as many links others use them better. */
const mostIdle = 2;
/** On larger machines a whole part of the vector in every message is too much, or halving it too many times. */
const mostDimensions = 12;

function* propose({ collective, routes, chunks, algorithm, byName }: Problem): Iterable<Proposal> {
  if (collective.kind !== 'allreduce' || algorithm !== undefined) return;
  if (keepsRankOrder(collective)) return yield dismissed(cubes.name, 'needs an operator that commutes');
  const { links, chips } = routes.topology;
  if (links.length > mostIdle * chips.length * Math.log2(chips.length) && byName !== true) {
    return yield dismissed(cubes.name, 'a hypercube leaves most of the links idle');
  }
  const corners = cornersOf(routes.topology);
  if (corners === undefined) return yield dismissed(cubes.name, 'no hypercube was found among the links');
  const dimensions = Math.log2(corners.length);
  if (dimensions < 2) return yield dismissed(cubes.name, 'there is but one pair of chips');
  if (dimensions > mostDimensions) return yield dismissed(cubes.name, `more than ${mostDimensions} dimensions`);
  const axes = Array.from(
    { length: dimensions },
    (_, bit): Axis => ({ extent: 2, stride: 2 ** bit, up: bit, down: bit }),
  );
  const onwards = axes.map(
    ({ stride }) =>
      (corner: number) =>
        corner ^ stride,
  );
  for (let halved = 0; halved < dimensions; halved++) {
    const name = halved === 0 ? 'cubes (doubling)' : `cubes (doubling, ${halved} halved)`;
    const unit = chunksAlong(axes, halved);
    if (chunks !== undefined && chunks % unit !== 0) {
      yield dismissed(name, `needs a multiple of ${unit} chunks, not ${chunks}`);
      continue;
    }
    const build: Candidate['build'] = (multiple) => {
      const target = { ...collective, chunks: (chunks ?? unit) * multiple };
      const schedule = reducedAlongAxes(target, onwards, axes, halved);
      return { ...relabel(schedule, corners), name: cubes.name };
    };
    const origin = { engine: cubes.name, schedule: 'doubling', halved, corners };
    yield { kind: 'candidate', candidate: { name, origin, build } };
  }
}
