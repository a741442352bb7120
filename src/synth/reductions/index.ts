/**
 * The waves engine: reduce on machines whose chips cannot send while they reduce. There it matters that neighbours reduce at the
 * same time: a chip that reduces while its neighbours do not keeps their links idle as well. So all chips keep in step: they send
 * and receive over all their links at once, reduce what has come, and go on. With trees packed into all links (trees/pack.ts),
 * each chip sends M and reduces about M in all, which is what the bound counts (cost/bounds/exclusive-reduce.ts).
 */
import { keepsRankOrder } from '../../ir/collective.ts';
import { transpose } from '../../ir/topology.ts';
import type { Engine, Problem, Proposal } from '../engine.ts';
import type { Tree } from '../trees/pack.ts';
import { Packings } from '../trees/packing.ts';
import { bestWaves, secondsInWaves, type WaveLoad, waveLoad } from './wave-load.ts';
import { partsOfWave, waveSchedule } from './wave-schedule.ts';

export const waves: Engine = {
  name: 'waves',
  about: 'reductions up packed trees, all chips in step, for chips that cannot send while they reduce',
  propose,
};

/**
 * Until the first waves have reached the root, some chips reduce less than others and run ahead, and what they send keeps their
 * neighbours from reducing. Where waves are small at first they run ahead by little, and on some machines fall into step.
 */
const longestRamp = 16;
/** Packings to choose from, and edges in all of them together: small ones are packed in a moment. */
const mostPackings = 8;
const mostEdges = 2_000;
/** Messages of a schedule that is made in a few seconds; of high trees as many more as the second number says. */
const usualMessages = 40_000;
const mostMessages = 120_000;
/** Waves for each step that the first one takes to the root, so that filling the pipeline is a small part of the time. */
const wavesPerStep = 15;

function* propose(problem: Problem): Iterable<Proposal> {
  const { collective, routes, parameters, algorithm, size } = problem;
  const { nodes, chips } = routes.topology;
  const exclusive = chips.some((chip) => nodes[chip].reduce?.overlap === false);
  if (algorithm !== undefined || collective.kind !== 'reduce' || collective.ranks === 1 || !exclusive) return;
  if (keepsRankOrder(collective)) {
    yield dismissed('needs an operator that commutes');
    return;
  }
  if (parameters.trees !== undefined || size === 0) return;
  const packed = bestPacking(problem);
  if (typeof packed === 'string') {
    yield dismissed(packed);
    return;
  }
  const { trees, load } = packed;
  const parts = partsOfWave(trees);
  const messages = trees.reduce((sum, { edges }) => sum + edges.length, 0);
  const wanted = Math.max(usualMessages / messages, wavesPerStep * (load.height - 1));
  const most = Math.max(1, Math.floor(Math.min(wanted, mostMessages / messages)));
  const number = problem.chunks === undefined ? bestWaves(load, size, most) : problem.chunks / parts;
  if (!Number.isInteger(number)) {
    yield dismissed(`needs a multiple of ${parts} chunks, not ${problem.chunks}`);
    return;
  }
  yield candidateOf('waves up packed trees', problem, trees, new Array<number>(number).fill(1));
  const ramp = Math.min(longestRamp, Math.floor(number / 4));
  if (problem.chunks !== undefined || ramp < 2 || number * messages > usualMessages) return;
  const growing = Array.from({ length: number }, (_, wave) => Math.min(wave + 1, ramp));
  yield candidateOf('growing waves up packed trees', problem, trees, growing);
}

function candidateOf(
  name: string,
  { collective }: Problem,
  trees: readonly Tree[],
  sizes: readonly number[],
): Proposal {
  const unit = partsOfWave(trees) * sizes.reduce((sum, size) => sum + size, 0);
  const build = (multiple: number) => waveSchedule(name, trees, { ...collective, chunks: unit * multiple }, sizes);
  return { kind: 'candidate', candidate: { name, origin: { engine: waves.name, schedule: name }, build } };
}

function dismissed(reason: string): Proposal {
  return { kind: 'dismissed', dismissal: { name: waves.name, reason } };
}

interface Packed {
  readonly trees: readonly Tree[];
  readonly load: WaveLoad;
}

/** Of several packings the one that takes least; or why there is none. */
function bestPacking({ collective, routes, size, seed, shouldStop }: Problem): Packed | string {
  const topology = transpose(routes.topology);
  let best: Packed | undefined;
  let least = Number.POSITIVE_INFINITY;
  let edges = 0;
  for (let attempt = 0; attempt < mostPackings && edges <= mostEdges; attempt++) {
    const request = {
      topology,
      kind: 'broadcast',
      root: collective.root,
      trees: undefined,
      chunks: undefined,
    } as const;
    const packing = new Packings().of({ ...request, seed: seed + attempt, shouldStop });
    if (typeof packing === 'string') {
      if (best === undefined) return packing;
      break;
    }
    const { trees } = packing;
    const load = waveLoad(trees, routes);
    if (load === undefined) return 'switches are in between';
    edges += trees.reduce((sum, tree) => sum + tree.edges.length, 0);
    const seconds = secondsInWaves(load, bestWaves(load, size, mostMessages), size);
    if (seconds < least) [least, best] = [seconds, { trees, load }];
  }
  return best ?? 'there was no time to pack trees';
}
