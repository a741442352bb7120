/** The cubes engine: where the links hold a hypercube, allreduces of few messages in a row that use all of its edges at any time. */
import { keepsRankOrder } from '../../ir/collective.ts';
import { type Candidate, dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { cornersOf } from './corners.ts';
import { exchangeChunks, exchangedAlongEdges } from './exchange.ts';

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
  for (let halved = 0; halved < dimensions; halved++) {
    const name = halved === 0 ? 'cubes (doubling)' : `cubes (doubling, ${halved} halved)`;
    const unit = exchangeChunks(dimensions, halved);
    if (chunks !== undefined && chunks % unit !== 0) {
      yield dismissed(name, `needs a multiple of ${unit} chunks, not ${chunks}`);
      continue;
    }
    const build: Candidate['build'] = (multiple) =>
      exchangedAlongEdges({ ...collective, chunks: (chunks ?? unit) * multiple }, corners, halved);
    const origin = { engine: cubes.name, schedule: 'doubling', halved, corners };
    yield { kind: 'candidate', candidate: { name, origin, build } };
  }
}
