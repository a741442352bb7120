/** Writes the expected results of a custom collective, slot by slot, as in the plan format (docs/plan-format.md). */
import { type CustomResults, ranksWithResults, runsOfRank, type WantedRun } from '../ir/custom-results.ts';

/** Number of characters in a piece of the text. */
const blockLength = 1 << 16;

/** `results[rank][slot]` as JSON, in pieces. */
export function* resultsText(results: CustomResults): Iterable<string> {
  for (let rank = 0; rank < ranksWithResults(results); rank++) {
    yield rank === 0 ? '[[' : '],[';
    let first = true;
    for (const run of runsOfRank(results, rank)) {
      if (!first) yield ',';
      first = false;
      yield* runText(run);
    }
  }
  yield ranksWithResults(results) === 0 ? '[]' : ']]';
}

function* runText({ count, parts, at }: WantedRun): Iterable<string> {
  const heads = parts?.map(({ rank }) => `{"rank":${rank},"chunk":`) ?? [];
  let text = '';
  for (let i = 0; i < count; i++) {
    if (i > 0) text += ',';
    text += parts === null ? 'null' : `[${parts.map((part, p) => `${heads[p]}${part.chunk + at + i}}`).join(',')}]`;
    if (text.length < blockLength) continue;
    yield text;
    text = '';
  }
  yield text;
}
