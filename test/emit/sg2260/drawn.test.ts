/** Command lists of requests drawn at random, run on real numbers. `CCC_TEST_SEED=7` draws others, `CCC_TEST_CASES=200` more. */
import { describe, expect, it } from 'vitest';
import type { CollectiveKind } from '../../../src/ir/collective.ts';
import { withMap } from '../../../src/read/index.ts';
import { CommandError, runCommandLists } from './command-lists/index.ts';
import { bundleOf, drawn, library, listsOf, machines, runAndCheck, type Wanted } from './lists.ts';

const seed = Number(process.env.CCC_TEST_SEED ?? 1);
const cases = Number(process.env.CCC_TEST_CASES ?? 16);
const kinds: readonly CollectiveKind[] = [...library, 'barrier'];

interface Request {
  readonly kind: CollectiveKind;
  readonly machine: string;
  readonly chips: readonly number[];
  readonly size: number;
  readonly wanted: Wanted;
}

function drawnRequest(number: number): Request {
  const random = drawn(7919 * seed + 104729 * number);
  for (let i = 0; i < 8; i++) random();
  const oneOf = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)];
  const machine = Object.keys(machines)[number % Object.keys(machines).length];
  const { length } = machines[machine].chips;
  const kind = kinds[Math.floor(number / Object.keys(machines).length) % kinds.length];
  const unsorted = Array.from({ length }, (_, chip) => [random(), chip] as const);
  // Of eight ranks single precision does not hold products of all.
  const op = oneOf(length > 4 ? (['sum', 'max'] as const) : (['sum', 'max', 'prod'] as const));
  const dtype = op === 'prod' ? ('f32' as const) : oneOf(['f16', 'f32', 'i32'] as const);
  return {
    ...{ kind, machine },
    chips: unsorted.sort(([a], [b]) => a - b).map(([, chip]) => chip),
    size: kind === 'barrier' ? 4 : 4 * length * Math.ceil(2 ** (3 + random() * 14)),
    wanted: {
      ...{ op, dtype, inPlace: random() < 0.3, root: Math.floor(random() * length) },
      bulks: oneOf(['auto', 1, 2, 3, 5, 8] as const),
    },
  };
}

describe('command lists drawn at random', () => {
  it.each(Array.from({ length: cases }, (_, i) => drawnRequest(i * 7 + seed)))(
    'of $kind of $size bytes on $machine, chips $chips, do what they mean: $wanted',
    async ({ kind, machine, chips, size, wanted }) => {
      const bundle = bundleOf(kind, withMap(machines[machine], chips), size, wanted);
      const json = await listsOf(bundle);
      if (kind === 'barrier') {
        for (const late of chips.keys()) letsNobodyThrough(json, late);
      } else runAndCheck(json, bundle, seed);
    },
  );
});

/** Where a rank does not begin, no rank comes to its end. */
function letsNobodyThrough(json: string, late: number): void {
  const document: { chips: { queues: { commands: { wait?: unknown }[] }[] }[] } = JSON.parse(json);
  for (const { commands } of document.chips[late].queues) {
    if (commands.length > 0) commands[0].wait = [{ id: 511, count: 1 }];
  }
  try {
    runCommandLists(JSON.stringify(document), () => {}, drawn(seed));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    for (const rank of document.chips.keys()) expect(error.message).toContain(`rank ${rank},`);
    return;
  }
  expect.fail(`a rank went on without rank ${late}`);
}
