/**
 * `npx tsx test/certificates/forged-long.ts 1000000 [seed] [for each problem] [optima]`: forges certificates of problems at random and holds
 * them against the best plan found, or with `optima` against the least time of all plans in whole chunks (optima.ts). A part of the same kind, with a fixed seed, is in `npm test`.
 */
import { Random } from '../../src/ir/random.ts';
import { believed, drawnProblem, enumeratedProblem } from './forgeries.ts';

const [wanted, seed, each] = [2, 3, 4].map((at) => Number(process.argv[at] ?? [100_000, 1, 500][at - 2]));
const random = new Random(seed);
const elsewhere: unknown[] = [];
let [forged, problems, found] = [0, 0, 0];
while (forged < wanted) {
  const problem = process.argv[5] === 'optima' ? enumeratedProblem(random) : drawnProblem(random);
  if (problem === undefined) continue;
  const exceeding = problem.honest.filter(({ seconds }) => seconds > problem.seconds * (1 + 1e-9));
  const wrong = [...exceeding, ...believed(problem, elsewhere.slice(-100), each, random)];
  elsewhere.push(...problem.honest);
  forged += each;
  problems++;
  for (const certificate of wrong.slice(0, 2)) {
    process.stdout.write(`believed: ${JSON.stringify({ certificate, ...problem, honest: undefined })}\n`);
  }
  found += wrong.length;
  if (process.stderr.isTTY) process.stderr.write(`\r${forged} forged of ${problems} problems`);
}
process.stdout.write(`${forged} certificates forged of ${problems} problems: ${found} believed\n`);
process.exitCode = found > 0 ? 1 : 0;
