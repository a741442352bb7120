/** What chips lack for all trees, against all cuts. */
import { expect, it } from 'vitest';
import { Random } from '../../../src/ir/random.ts';
import { greatestDeficit } from '../../../src/synth/trees/rate.ts';

it('is what the tightest cut around some chip lacks', () => {
  const random = new Random(11);
  const [nodes, chips, trees] = [5, 4, 3];
  for (let round = 0; round < 200; round++) {
    const capacity = Float64Array.from({ length: nodes * nodes }, () => Math.max(0, random.below(9) - 4));
    const roots = [0, 1, 3].map((rank) => ({ rank, share: 1 + random.below(3) }));
    const wanted = roots.reduce((sum, { share }) => sum + share * trees, 0);
    let least = wanted;
    for (let inside = 0; inside < 2 ** nodes; inside++) {
      const has = (node: number) => (inside & (1 << node)) !== 0;
      // Some chip stands outside.
      if (inside % 2 ** chips === 2 ** chips - 1) continue;
      const through = capacity.reduce(
        (sum, amount, edge) => (has(Math.floor(edge / nodes)) && !has(edge % nodes) ? sum + amount : sum),
        0,
      );
      const beside = roots.reduce((sum, { rank, share }) => (has(rank) ? sum : sum + share * trees), 0);
      least = Math.min(least, through + beside);
    }
    expect(greatestDeficit({ nodes, chips, capacity }, roots, trees)).toBe(wanted - least);
  }
});
