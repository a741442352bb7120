/** Finds for each operation the file and line in which it was written. */
import type { SourceText } from '../ir/diagnostic.ts';
import type { Plan } from '../ir/plan.ts';
import type { PageSource } from './page-document.ts';

/** Longer texts are not put in the page. */
const longestSource = 2 ** 20;

interface Places {
  readonly sources: readonly PageSource[];
  /** By operation: an index into `sources` (−1 if unknown), and a line, counted from 1. */
  readonly source: Int32Array;
  readonly line: Int32Array;
}

export function sourcePlaces({ ops, origins }: Plan): Places {
  const sources: PageSource[] = [];
  const texts: { readonly text: SourceText; readonly breaks: readonly number[] }[] = [];
  const places = origins.map(({ source, start }) => {
    let index = texts.findIndex(({ text }) => text.name === source.name && text.text === source.text);
    if (index === -1) {
      index = texts.push({ text: source, breaks: breaksOf(source.text) }) - 1;
      sources.push({ name: source.name, text: source.text.length > longestSource ? undefined : source.text });
    }
    return { index, line: 1 + countBelow(texts[index].breaks, start) };
  });
  return {
    sources,
    source: ops.origin.map((origin) => places[origin]?.index ?? -1),
    line: ops.origin.map((origin) => places[origin]?.line ?? 0),
  };
}

function breaksOf(text: string): readonly number[] {
  const breaks: number[] = [];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) breaks.push(at);
  return breaks;
}

/** The number of elements of an ascending list that are less than a value. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
