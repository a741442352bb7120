/**
 * `npm run bench:found [-- --rows N] [-- --seed S] [-- --ranks M]`: whether `compile` finds whatever a quick search, an engine asked by name or the winners of neighbouring
 * sizes find, on drawn requests, those of at most M ranks. Prints the rows in which another search has a faster plan, and how many there are.
 */
import { parseArgs } from 'node:util';
import { CccError, type CompileRequest, resolveTopology, searchDefaults, searchPlan } from '../src/index.ts';
import { engines } from '../src/synth/index.ts';
import { drawnRequests, editedMachine } from './drawn-requests.ts';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    ranks: { type: 'string' },
  },
});
const mostRanks = Number(options.ranks ?? Number.POSITIVE_INFINITY);

/** Times that differ by less of themselves are the same. */
const rounding = 1e-9;

interface Found {
  readonly by: string;
  readonly seconds: number;
  readonly plan: string;
}

/** Undefined where the search has no plan for the request. */
function found(by: string, request: CompileRequest): Found | undefined {
  try {
    const { proved, cost } = searchPlan(request).bundle;
    return { by, seconds: cost.seconds, plan: `${proved.plan.name} ×${proved.plan.bulks}` };
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

/** What others find, the best first. */
function byOthers(request: CompileRequest): readonly Found[] {
  const named = engines.filter(({ onRequest }) => onRequest !== true);
  const searches = [
    found('--effort quick', { ...request, effort: 'quick' }),
    ...named.map(({ name }) => found(`--engine ${name}`, { ...request, engine: name })),
    ...[request.size / 2, request.size * 2].map((size) => ofNeighbour(request, size)),
  ];
  return searches.filter((one) => one !== undefined).sort((a, b) => a.seconds - b.seconds);
}

/** What wins another size, for the size that is asked for. */
function ofNeighbour(request: CompileRequest, size: number): Found | undefined {
  const [{ name }] = searchPlan({ ...request, size }).candidates;
  return found(`the winner of ${size} bytes`, { ...request, admits: (candidate) => candidate.name === name });
}

let worse = 0;
const ranksOf = (name: string): number => resolveTopology(name).chips.length;
const requests = drawnRequests(Number(options.rows), Number(options.seed), ranksOf).filter(
  ({ topology }) => ranksOf(topology) <= mostRanks,
);
for (const { what, kind, root, bytes, topology: name, edits } of requests) {
  const topology = editedMachine(resolveTopology(name), edits);
  const ranks = topology.chips.length;
  const collective = { kind, ranks, chunks: 1, root, op: 'sum', ordered: false, inPlace: false } as const;
  const request = { ...searchDefaults, collective, topology, size: bytes };
  const own = found('compile', request);
  const [best] = byOthers(request);
  if (own === undefined || best.seconds >= own.seconds * (1 - rounding)) continue;
  worse++;
  process.stdout.write(
    `${what}: ${best.by} is ${((own.seconds / best.seconds - 1) * 100).toFixed(2)} % faster: ${best.plan}, not ${own.plan}\n`,
  );
}
process.stdout.write(`${worse} of ${requests.length} requests find less than another search does\n`);
