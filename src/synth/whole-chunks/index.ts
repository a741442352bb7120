/**
 * Few whole chunks on links that are not alike (docs/ilp.md): when each chunk starts over which link, by whole-number programs for more and
 * more steps, until one has a solution. Rounds of free length do not show that a slow link may be busy while a fast one carries two chunks.
 */
import type { Seconds } from '../../ir/units.ts';
import { type Candidate, candidateOf, type Problem } from '../engine.ts';
import { waysOf } from '../list/ways.ts';
import { roundsNetwork } from '../rounds/network.ts';
import { type Commodity, demandsOf } from '../rounds/problem.ts';
import type { Part } from '../rounds/rounding.ts';
import { scheduleOf } from '../rounds/schedule.ts';
import type { Solver } from '../solver/index.ts';
import { gridOf, soonest } from './grid.ts';
import { type Start, wholeChunksModel } from './model.ts';

/**
 * Columns of a program, and nodes of its search. On 46 requests drawn for up to 9 ranks, of which 10 got a better plan, 12 nodes found them
 * all; a fourth of the columns lost one, and is what whole shards get that nobody asked for.
 */
const mostColumns = 10_000;
const work = { nodes: 50 } as const;

/**
 * The schedule of the fewest steps in which the chunks that were asked for, or else whole shards, can be moved whole; undefined where that
 * takes longer than the best plan known, where it is not found with the work allowed, and for what it is not made for.
 *
 * @param toBeat the time of the best plan known
 */
export function inWholeChunks(problem: Problem, solver: Solver, toBeat: Seconds): Candidate | undefined {
  const { collective, size, chunks = 1, routes, shouldStop, onModel } = problem;
  const demands = demandsOf(collective, size);
  if (demands === undefined || collective.counts !== undefined) return undefined;
  const { commodities } = demands;
  const isTurned = demands.turned !== undefined;
  const network = roundsNetwork(routes, Number.POSITIVE_INFINITY, isTurned);
  const [first] = commodities;
  if (network === undefined || network.moving.some((loads) => loads.length > 1) || first?.source === undefined)
    return undefined;
  const ways = waysOf(routes, isTurned);
  const isBlocking = Array.from(ways.from, (_, way) => {
    return ways.topology.links[ways.link[ways.firstLink[way]]].occupancy === 'blocking';
  });
  const grid = gridOf(network, isBlocking, first.bytes / chunks);
  const each: Commodity[] = commodities.flatMap((commodity) =>
    Array.from({ length: chunks }, () => ({ ...commodity })),
  );
  const farthest = each.map((commodity) => {
    const after = soonest(commodity, network, grid);
    return Math.max(...commodity.targets.map((target) => after[target]));
  });
  const most = problem.chunks === undefined ? mostColumns / 4 : mostColumns;
  for (let steps = Math.max(...farthest); steps * grid.step < toBeat && shouldStop?.() !== true; steps++) {
    if (each.length * network.from.length * steps > most) return undefined;
    const { model, starts } = wholeChunksModel(each, network, grid, steps);
    onModel?.(model, `${collective.kind} of whole chunks in ${steps} steps`);
    const answer = solver.solve(model, { ...work, relativeGap: 1, ...(shouldStop && { shouldStop }) });
    if (answer.status === 'infeasible') continue;
    if (answer.status === 'unknown') return undefined;
    const chosen = starts.filter((_, column) => answer.values[column] > 0.5);
    const parts = commodities.map((_, commodity) => partsOf(commodity, chunks, chosen, network.from.length));
    const name = `ilp-whole-${collective.kind}`;
    const made = { chunks, parts, seconds: steps * grid.step };
    const schedule = scheduleOf(name, collective, { ...demands, network, rounds: steps }, made);
    const origin = { engine: 'ilp', schedule: name, steps };
    return { ...candidateOf(schedule, origin), isDeepEnough: true };
  }
  return undefined;
}

/** Each chunk of a commodity with the hops that it makes, as rounds have them: those of a step are a round. */
function partsOf(commodity: number, chunks: number, chosen: readonly Start[], ways: number): readonly Part[] {
  return Array.from({ length: chunks }, (_, c) => {
    const own = chosen.filter(({ chunk }) => chunk === commodity * chunks + c);
    const hops = own.map(({ way, at }) => at * ways + way).sort((a, b) => a - b);
    return { column: { commodity, hops, turn: 0 }, count: 1 };
  });
}
