/** The page in Chinese: what ccc says of shipped machines in English has Chinese of its own. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { compactLowerBound } from '../../src/compact/cost/index.ts';
import { resolveSymmetricTopology } from '../../src/compact/machine/resolve.ts';
import { collectiveKinds } from '../../src/ir/collective.ts';
import { compactKinds } from '../../src/ir/compact.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { judgePlan } from '../../src/verify/index.ts';
import { inChinese } from '../../src/view/page/chinese-sentences.ts';
import { english } from '../../src/view/page/english.ts';
import { said, stopped } from '../../src/view/page/words.ts';
import { collectiveOf } from '../collectives.ts';
import { shippedPlan } from './plans.ts';

const machines = [
  'ring:4',
  'line:5',
  'torus:4x4',
  'full:5',
  'switch:5',
  'dgx1',
  'a100:2',
  'h100',
  'mi250',
  'sg2260x4',
  'sg2260x4-ddr',
];
const kinds = collectiveKinds.filter((kind) => kind !== 'custom');

/** What is left of a sentence without units, names of machines and collectives: nothing that is English. */
const englishWord = /\b(?!rank\b)[a-z]{3,}\b/;

describe('certificates', () => {
  it.each(machines)('of %s are said in Chinese, with the same numbers', (name) => {
    const topology = resolveTopology(name);
    for (const kind of kinds) {
      for (const size of [0, 4096, 2 ** 26]) {
        const { certificates } = lowerBound(collectiveOf(kind, topology.chips.length), topology, size);
        for (const { kind: theorem, reason } of certificates) {
          const chinese = inChinese(reason);
          expect(chinese, reason).toBeDefined();
          expect(chinese, reason).not.toMatch(englishWord);
          const numbers = (text: string) => text.match(/[\d.]+/g)?.sort();
          expect(numbers(chinese ?? ''), reason).toEqual(numbers(reason.replace(/one message|(?<=reach|of) all/g, '')));
          expect(Object.keys(english)).toContain(`certificate.${theorem}`);
        }
      }
    }
  });
});

it.each(['torus:4x6', 'ring:9', 'torus:8x8x8'])('certificates of compact plans on %s are said in Chinese', (name) => {
  const machine = resolveSymmetricTopology(name);
  const ranks = machine.shape.reduce((product, extent) => product * extent, 1);
  for (const kind of compactKinds) {
    for (const size of [4096, 2 ** 30]) {
      for (const { reason } of compactLowerBound(collectiveOf(kind, ranks), machine, size).certificates) {
        expect(inChinese(reason), reason).toBeDefined();
        expect(inChinese(reason), reason).not.toMatch(englishWord);
      }
    }
  }
});

it('lines of a proof are said in Chinese', () => {
  const plans = [
    [shippedPlan('ring-allreduce', 4), 'sg2260x4'],
    [{ ...shippedPlan('ring-allgather', 4), bulks: 2 }, 'ring:4'],
    [shippedPlan('dissemination-barrier', 4), 'full:4'],
  ] as const;
  for (const [plan, machine] of plans) {
    for (const topology of [undefined, resolveTopology(machine)]) {
      const { proved } = judgePlan(plan, { topology, load: topology && { topology, size: 2 ** 20, dtype: 'f32' } });
      expect(proved.length).toBeGreaterThan(5);
      for (const line of proved) expect(inChinese(line), line).toMatch(/[\u4e00-\u9fff]/);
    }
  }
});

it('what has no Chinese stays as it is, and English is left alone', () => {
  expect(said('a note of a machine', 'zh')).toBe('a note of a machine');
  expect(stopped('nothing has to be sent', 'en')).toBe('nothing has to be sent.');
  expect(stopped('nothing has to be sent', 'zh')).toBe('无需发送任何数据。');
});
