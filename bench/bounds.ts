/**
 * `npx tsx bench/bounds.ts [requests] [seed] [machine …]`: what each kind of certificate earns on drawn requests. Where it gives the best
 * bound, the rest of them say less: prints by how much on average (geometric mean over all requests), at most, and of which collectives.
 * With machines named the requests are for these in turn, whole, under each of their protocols where they have some.
 */
import '../src/host/node.ts';
import { lowerBound } from '../src/bounds/index.ts';
import { ranksOf, type Topology, withProtocol } from '../src/ir/topology.ts';
import { resolveTopology } from '../src/read/index.ts';
import { collectiveOf } from '../test/collectives.ts';
import { drawnRequests, editedMachine } from './drawn-requests.ts';

interface Earned {
  best: number;
  /** Sum of the logarithms of best bound over the best of another kind. */
  sum: number;
  most: number;
  what: string;
  readonly kinds: Map<string, number>;
}

const [count = 729, seed = 11] = process.argv.slice(2, 4).map(Number);
const machines = process.argv.slice(4).flatMap((name): Topology[] => {
  const topology = resolveTopology(name);
  const protocols = Object.keys(topology.protocols ?? {});
  return protocols.length === 0 ? [topology] : protocols.map((protocol) => withProtocol(topology, protocol));
});
const earned = new Map<string, Earned>();
const percent = (logarithm: number): string => `${(100 * (1 - Math.exp(-logarithm))).toFixed(2)} %`;
const requests = drawnRequests(count, seed, (name) => ranksOf(resolveTopology(name)));
for (const [row, { kind, root, bytes, edits, topology: name, what }] of requests.entries()) {
  const topology = machines[row % machines.length] ?? editedMachine(resolveTopology(name), edits);
  const ranks = ranksOf(topology);
  const isRooted = ['broadcast', 'reduce', 'scatter', 'gather'].includes(kind);
  const options = { root: isRooted ? root % ranks : 0, ordered: kind === 'scan' || kind === 'exscan' };
  const [best, ...others] = lowerBound(collectiveOf(kind, ranks, options), topology, bytes).certificates;
  const other = others.find((certificate) => certificate.kind !== best.kind)?.seconds ?? 0;
  // What nothing else bounds counts as ten times.
  const lost = Math.log(best.seconds / Math.max(other, best.seconds / 10));
  const of = earned.get(best.kind) ?? { best: 0, sum: 0, most: 0, what: '', kinds: new Map<string, number>() };
  earned.set(best.kind, of);
  of.best++;
  of.sum += lost;
  of.kinds.set(kind, (of.kinds.get(kind) ?? 0) + lost);
  if (lost > of.most) [of.most, of.what] = [lost, machines.length === 0 ? what : `${kind} ${topology.name} ${bytes}`];
}
for (const [kind, { best, sum, most, what, kinds }] of [...earned].sort(([, a], [, b]) => b.sum - a.sum)) {
  const first = [...kinds].sort(([, a], [, b]) => b - a)[0][0];
  const cells = [kind.padEnd(14), percent(sum / count).padStart(8), `best of ${best}`, `most of ${first}`];
  process.stdout.write(`${cells.join('  ')}; at most ${percent(most)}: ${what}\n`);
}
