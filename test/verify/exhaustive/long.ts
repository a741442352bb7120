/**
 * The long search: `npx tsx test/verify/exhaustive/long.ts [plans] [first seed]` compares the verifier with trying every interleaving on
 * random plans that are right or nearly so, 20,000 by default, and prints how many got which verdict.
 */
import { agree, type Tally } from '../agreement.ts';
import { nearRight } from '../mutations/near-right.ts';

const wanted = Number(process.argv[2] ?? 20_000);
const firstSeed = Number(process.argv[3] ?? 1);
const tally: Tally = new Map();
let seed = firstSeed;
for (let tried = 0; tried < wanted; seed++) {
  const found = nearRight(seed);
  if (found === undefined) continue;
  agree(found.plan, found.inflight, tally, () => found.about);
  tried++;
  if (tried % 1000 === 0) process.stderr.write(`${tried} plans\n`);
}
for (const [verdict, count] of [...tally].sort()) process.stdout.write(`${verdict}: ${count}\n`);
process.stdout.write(`no disagreement on ${wanted} plans, seeds ${firstSeed} … ${seed - 1}\n`);
