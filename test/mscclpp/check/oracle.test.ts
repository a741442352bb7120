/** The judge against every interleaving of tiny random plans. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawn } from '../../draw.ts';
import { everyInterleaving } from './oracle.ts';
import {
  acquire,
  barrier,
  exchange,
  type GpuJson,
  gpu,
  judge,
  move,
  nop,
  type OpJson,
  type PlanJson,
  packetExchange,
  plan,
  release,
  signal,
  wait,
} from './plans.ts';

/** What the judge says, as far as the oracle can say it too. */
function verdictOf(json: PlanJson): string {
  const { verdict } = judge(json);
  return verdict === 'deadlock' || verdict === 'race' ? verdict : 'orderly';
}

function oracleVerdict(json: PlanJson): string | undefined {
  const found = everyInterleaving(json, mostStates);
  if (found === undefined) return undefined;
  return found.deadlock ? 'deadlock' : found.race ? 'race' : 'orderly';
}

/** Plans with more are passed over. */
const mostStates = 1500;

/** Something in one block, or in two that must have their halves. */
type Item = { readonly ops: readonly (readonly [block: number, OpJson])[] };

const blocks = 4;
const gpuOf = (block: number): number => Math.floor(block / 2);

const kinds = ['copy', 'put', 'get', 're', 'rre'];

const dataItem = fc
  .tuple(fc.nat(blocks - 1), fc.constantFrom(...kinds, ...kinds, 'shift'), fc.nat(1), fc.nat(1), fc.nat(2))
  .map(([block, name, a, b, buffer]): Item => {
    const local = ['i', 's', 'o'][buffer];
    const remote = `r${buffer % 2}.`;
    const text = {
      copy: `i${a} > ${local}${b}`,
      // Reads what it writes for another element.
      shift: 's0:2 > s1:2',
      put: `i${a} > ${remote}${b}`,
      get: `${remote}${a} > s${a}`,
      re: `i${a} s${b} > i${a}`,
      rre: `i${a} ${remote}${b} > i${a}`,
    }[name];
    return { ops: [[block, move(name === 'shift' ? 'copy' : name, text ?? '')]] };
  });
const nopItem = fc.nat(blocks - 1).map((block): Item => ({ ops: [[block, nop]] }));
/** One channel, or two that different threads serve, at the other end perhaps the other way round. */
const signalItem = fc
  .tuple(
    fc.nat(1),
    fc.nat(1),
    fc.nat(1),
    fc.constantFrom<[number[], number[]]>(
      [[0], [0]],
      [[1], [1]],
      [
        [0, 1],
        [1, 0],
      ],
    ),
  )
  .map(
    ([from, a, b, [told, heard]]): Item => ({
      ops: [
        [2 * from + a, signal(...told)],
        [2 * (1 - from) + b, wait(...heard)],
      ],
    }),
  );
const semaphoreItem = fc.tuple(fc.nat(1), fc.nat(1), fc.nat(1)).map(
  ([on, a, b]): Item => ({
    ops: [
      [2 * on + a, release(0)],
      [2 * on + b, acquire(0)],
    ],
  }),
);
const barrierItem = fc.nat(1).map(
  (on): Item => ({
    ops: [
      [2 * on, barrier(0, 2)],
      [2 * on + 1, barrier(0, 2)],
    ],
  }),
);

const items = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 3, arbitrary: dataItem },
      { weight: 5, arbitrary: nopItem },
      { weight: 5, arbitrary: signalItem },
      { weight: 1, arbitrary: semaphoreItem },
      { weight: 1, arbitrary: barrierItem },
    ),
    // Where in their blocks the halves go: mostly to the end, which keeps them in order.
    fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant(99) }, { weight: 1, arbitrary: fc.nat(2) }), {
      minLength: 2,
      maxLength: 2,
    }),
  ),
  { minLength: 3, maxLength: 9 },
);

function randomPlan(drawn: readonly (readonly [Item, readonly number[]])[]): PlanJson {
  const ops: OpJson[][] = Array.from({ length: blocks }, () => []);
  for (const [item, places] of drawn) {
    item.ops.forEach(([block, op], half) => {
      ops[block].splice(Math.min(places[half], ops[block].length), 0, op);
    });
  }
  const side = (own: number): GpuJson =>
    gpu(
      {
        chunks: [2, 2, 3],
        memory: [1 - own, 1 - own],
        remote: [
          [1 - own, 'i'],
          [1 - own, 's'],
        ],
        semaphores: [0],
      },
      ...ops.filter((_, block) => gpuOf(block) === own),
    );
  return plan('custom', false, [side(0), side(1)]);
}

describe('against every interleaving', () => {
  it('of the plans of these tests', () => {
    expect(oracleVerdict(exchange())).toBe('orderly');
    expect(oracleVerdict(packetExchange())).toBe('orderly');
  });

  it('of random plans: deadlock and race exactly where there is one', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(items, (drawn) => {
        const json = randomPlan(drawn);
        const expected = oracleVerdict(json);
        if (expected === undefined) return;
        seen.set(expected, (seen.get(expected) ?? 0) + 1);
        expect(verdictOf(json), JSON.stringify(json.gpus.map((g) => g.threadblocks.map((b) => b.ops)))).toBe(expected);
      }),
      drawn(200),
    );
    // About one drawn plan in twenty has a deadlock, so that a day's draw may have none; the other verdicts are common.
    for (const verdict of ['race', 'orderly'])
      expect(seen.get(verdict) ?? 0, `${verdict} of ${JSON.stringify([...seen])}`).toBeGreaterThan(0);
  });

  it('of plans of which a nop, or any other operation, is lost', () => {
    for (const whole of [exchange(), packetExchange()]) {
      for (const [g, { threadblocks }] of whole.gpus.entries()) {
        for (const [b, { ops }] of threadblocks.entries()) {
          for (let lost = 0; lost < ops.length; lost++) {
            const json: PlanJson = structuredClone(whole);
            json.gpus[g].threadblocks[b].ops.splice(lost, 1);
            const verdict = judge(json).verdict;
            const expected = oracleVerdict(json);
            if (verdict === 'correct') expect(expected, `${g} ${b} ${lost}`).toBe('orderly');
            if (ops[lost].name === 'nop') expect(verdictOf(json), `${g} ${b} ${lost}`).toBe(expected);
            else expect(verdict, `${g} ${b} ${lost}`).not.toBe('correct');
          }
        }
      }
    }
  });
});
