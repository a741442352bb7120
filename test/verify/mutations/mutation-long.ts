/**
 * The long search: `npx tsx test/verify/mutations/mutation-long.ts [mutants per plan and kind] [seed]` makes mistakes in plans of all shipped
 * schedules on 2 to 5 ranks and prints the score.
 */
import { mutationScores } from './mutation-score.ts';

const scores = mutationScores({
  ...{ ranks: [2, 3, 4, 5], perKind: Number(process.argv[2] ?? 3), seed: Number(process.argv[3] ?? 1) },
  ...{ mostStates: 50_000, runs: 10, oneIn: 1 },
});
const columns = ['mutants', 'wrong', 'rejected', 'rightReason', 'equivalent', 'unseen'] as const;
process.stdout.write(`${'mistake'.padEnd(24)}${columns.map((column) => column.padStart(12)).join('')}\n`);
for (const [name, score] of scores) {
  process.stdout.write(`${name.padEnd(24)}${columns.map((column) => String(score[column]).padStart(12)).join('')}\n`);
  for (const failure of score.failures) process.stdout.write(`  ${failure}\n`);
}
