/** Flows from suppliers whose data is at several ranks, against a general maximum flow. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FlowNetwork, unlimited } from '../../../src/cost/index.ts';
import { Delivery } from '../../../src/synth/trees/delivery.ts';

const ranks = 6;
const edges = fc.array(fc.tuple(fc.nat(ranks - 1), fc.nat(ranks - 1), fc.integer({ min: 1, max: 4 })), {
  maxLength: 24,
});
const supplier = fc.record({
  amount: fc.nat(5),
  at: fc.uniqueArray(fc.nat(ranks - 2), { minLength: 1, maxLength: 3 }),
});

/** The end is the last rank, where no supplier is. */
const end = ranks - 1;

function capacityOf(all: readonly (readonly [number, number, number])[]): Float64Array {
  const capacity = new Float64Array(ranks * ranks);
  for (const [from, to, amount] of all) if (from !== to) capacity[from * ranks + to] += amount;
  return capacity;
}

function greatestFlow(
  capacity: Float64Array,
  suppliers: readonly { readonly amount: number; readonly at: readonly number[] }[],
): number {
  const network = new FlowNetwork(ranks + suppliers.length + 1);
  const source = ranks + suppliers.length;
  for (const [edge, amount] of capacity.entries()) network.add(Math.floor(edge / ranks), edge % ranks, amount);
  for (const [index, { amount, at }] of suppliers.entries()) {
    network.add(source, ranks + index, amount);
    for (const rank of at) network.add(ranks + index, rank, unlimited);
  }
  return network.maxFlow(source, end);
}

describe('what suppliers deliver together', () => {
  it('is a maximum flow, time after time, while capacities fall', () => {
    const flows = fc.array(fc.array(supplier, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(edges, flows, fc.array(fc.nat(ranks * ranks - 1)), (given, rounds, falling) => {
        const capacity = capacityOf(given);
        const at: number[][] = Array.from({ length: ranks }, () => []);
        const delivery = new Delivery(ranks, capacity, at);
        for (const suppliers of rounds) {
          for (const there of at) there.length = 0;
          for (const [index, { at: own }] of suppliers.entries()) for (const rank of own) at[rank].push(index);
          const amounts = Float64Array.from(suppliers, ({ amount }) => amount);
          expect(delivery.most(amounts, end)).toBe(greatestFlow(capacity, suppliers));
          for (const edge of falling) capacity[edge] = Math.max(0, capacity[edge] - 1);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('takes back what was handed over where others need the edge', () => {
    // Both suppliers are at rank 0, one of them at rank 1 as well; each edge to the end carries one unit.
    const capacity = new Float64Array(9);
    capacity[0 * 3 + 2] = 1;
    capacity[1 * 3 + 2] = 1;
    const delivery = new Delivery(3, capacity, [[0, 1], [0], []]);
    expect(delivery.most(Float64Array.of(1, 1), 2)).toBe(2);
    expect(delivery.most(Float64Array.of(2, 1), 2)).toBe(2);
    expect(delivery.most(Float64Array.of(0, 2), 2)).toBe(1);
  });
});
