/**
 * One out-tree for machines on which a chip cannot use all its links at once. In each step it takes, for each port, the
 * generator that brings the most new offsets, and brings all of them in one message: what is known grows as fast as it can.
 * Where every offset is a generator this is Bruck's algorithm (Bruck et al. 1997), on a hypercube with one port it is
 * recursive doubling. Nothing is sent twice, so that (N − 1) shards per port are all that is carried.
 */
import type { TranslationGroup } from '../../ir/translation-group.ts';
import type { Generator, OutTrees } from './out-tree.ts';

/** @throws Error if the generators do not reach every rank */
export function growingTree(group: TranslationGroup, generators: readonly Generator[], ports: number): OutTrees {
  const edges = group.order - 1;
  const table = {
    step: new Int32Array(edges),
    generator: new Int32Array(edges),
    chunk: new Int32Array(edges),
    offset: new Int32Array(edges),
  };
  const known = new Uint8Array(group.order);
  const informed = [0];
  known[0] = 1;
  const translations = generators.map(({ offset }) => group.translation(offset));
  let stepCount = 0;
  for (let row = 0; row < edges; stepCount++) {
    const before = informed.slice();
    const used = new Set<number>();
    for (let port = 0; port < ports; port++) {
      const { generator, gained } = mostGain(translations, used, before, known);
      used.add(generator);
      // What is left for the last step is shared by its ports.
      const share = Math.min(gained.length, Math.ceil((edges - row) / (ports - port)));
      for (const offset of gained.slice(0, share)) {
        known[offset] = 1;
        informed.push(offset);
        table.step[row] = stepCount;
        table.generator[row] = generator;
        table.offset[row] = offset;
        row++;
      }
    }
    if (informed.length === before.length) throw new Error('the generators do not reach every rank');
  }
  return { stepCount, ...table };
}

/** The unused generator that reaches the most unknown offsets from the known ones, and those offsets. */
function mostGain(
  translations: readonly ((rank: number) => number)[],
  used: ReadonlySet<number>,
  before: readonly number[],
  known: Uint8Array,
): { readonly generator: number; readonly gained: readonly number[] } {
  let best: { generator: number; gained: readonly number[] } = { generator: 0, gained: [] };
  for (const [generator, translate] of translations.entries()) {
    if (best.gained.length === before.length) break;
    if (used.has(generator)) continue;
    const gained = before.map(translate).filter((offset) => known[offset] === 0);
    if (gained.length > best.gained.length) best = { generator, gained };
  }
  return best;
}
