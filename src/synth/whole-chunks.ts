/**
 * Few whole chunks on unequal links (docs/ilp.md): integer programs over time steps decide when each chunk starts on
 * which link, for an increasing number of steps until one is feasible. Rounds of free length cannot express that a slow
 * link stays busy while a fast one carries two chunks. A step is the time of the shortest message; messages take and
 * occupy whole numbers of steps. Exponential in the worst case, hence limited to small machines.
 */
import { type Bytes, noticeable, type Seconds } from '../ir/units.ts';
import type { Solver } from '../solver/index.ts';
import type { Arc } from './arcs.ts';
import { type Candidate, candidateOf, type Problem } from './engine.ts';
import { type TimedRoute, Unrolled } from './exact/unrolled.ts';
import { roundsNetwork } from './rounds/network.ts';
import { commoditiesOf } from './rounds/problem.ts';
import { roundsSchedule } from './rounds/schedule.ts';

/**
 * Limits: columns of a program, and nodes of its branch and bound. Of 46 random requests for up to 9 ranks, of which 10
 * got a better plan, 12 nodes solved them all; a fourth of the columns missed one, and is the limit where the user gave
 * no number of chunks.
 */
const mostColumns = 10_000;
const work = { nodes: 50 } as const;

/**
 * Finds the schedule with the fewest steps that moves the given number of chunks, or whole shards, without dividing
 * them. Undefined if that takes longer than the incumbent, if the budget does not suffice, and for collectives and
 * machines that it does not support.
 * @param incumbent the time of the best plan so far
 */
export function inWholeChunks(problem: Problem, solver: Solver, incumbent: Seconds): Candidate | undefined {
  const { collective, size, chunks = 1, routes, shouldStop, onModel } = problem;
  const demands = commoditiesOf(collective, size);
  if (demands === undefined || collective.counts !== undefined) return undefined;
  const { commodities } = demands;
  const network = roundsNetwork(routes, demands.reversed !== undefined);
  const [first] = commodities;
  if (network === undefined || network.sharesLinks || first?.source === undefined) return undefined;
  const { step, routes: timed } = onGrid(network.arcs, first.bytes / chunks);
  const machine = { ranks: network.ranks, routes: timed, units: new Array<number>(timed.length).fill(1) };
  const longest = Math.max(
    ...commodities.flatMap(({ source = 0, targets }) => {
      const after = soonest(source, machine);
      return targets.map((target) => after[target]);
    }),
  );
  const most = problem.chunks === undefined ? mostColumns / 4 : mostColumns;
  for (let steps = longest; steps * step < incumbent && shouldStop?.() !== true; steps++) {
    if (commodities.length * chunks * timed.length * steps > most) return undefined;
    const unrolled = new Unrolled({ machine, steps, rounds: steps });
    for (const { source, targets } of commodities) {
      const wanted = (rank: number): number => (targets.includes(rank) ? 1 : 0);
      for (let c = 0; c < chunks; c++) unrolled.add([{ start: source, amount: 1, wanted, whole: true }]);
    }
    const model = unrolled.build();
    onModel?.(model, `${collective.kind} of whole chunks in ${steps} steps`);
    const answer = solver.solve(model, { ...work, relativeGap: 1, ...(shouldStop && { shouldStop }) });
    if (answer.status === 'infeasible') continue;
    if (answer.status === 'unknown') return undefined;
    // Each chunk with its hops, encoded as in the rounds engine: the hops of a step form a round.
    const hops = Array.from({ length: commodities.length * chunks }, (): number[] => []);
    for (const sent of unrolled.chosen(answer.values)) hops[sent.item].push(sent.step * timed.length + sent.route);
    const parts = commodities.map((_, commodity) =>
      hops.slice(commodity * chunks, (commodity + 1) * chunks).map((own) => ({
        column: { commodity, hops: own.sort((a, b) => a - b), turn: 0 },
        count: 1,
      })),
    );
    const name = `ilp-whole-${collective.kind}`;
    const made = { chunks, parts, seconds: steps * step };
    const schedule = roundsSchedule(name, collective, { ...demands, network, rounds: steps }, made);
    return { ...candidateOf(schedule, { engine: 'ilp', schedule: name, steps }), isDeepEnough: true };
  }
  return undefined;
}

/** @param bytes size of a chunk */
function onGrid(
  arcs: readonly Arc[],
  bytes: Bytes,
): { readonly step: Seconds; readonly routes: readonly Required<TimedRoute>[] } {
  const secondsOf = ({ latency, bandwidth }: Arc): Seconds => latency + bytes / bandwidth;
  const step = Math.min(...arcs.map(secondsOf));
  const steps = (time: Seconds): number => Math.max(1, Math.ceil(time / step - noticeable));
  const routes = arcs.map((arc, way) => {
    const { from, to, held, bandwidth } = arc;
    const time = secondsOf(arc);
    return { from, to, links: [way], takes: steps(time), holds: steps(held[0] ? time : bytes / bandwidth) };
  });
  return { step, routes };
}

/** By rank, the earliest step after which a chunk of the source can have arrived. */
function soonest(
  source: number,
  { ranks, routes }: { readonly ranks: number; readonly routes: readonly Required<TimedRoute>[] },
): readonly number[] {
  const after = new Array<number>(ranks).fill(Number.POSITIVE_INFINITY);
  after[source] = 0;
  for (let changes = true; changes; ) {
    changes = false;
    for (const { from, to, takes } of routes) {
      if (after[from] + takes >= after[to]) continue;
      after[to] = after[from] + takes;
      changes = true;
    }
  }
  return after;
}
