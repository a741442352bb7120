/** Damaged dumps: a machine or a CccError, never another error, never without end. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CccError } from '../../../src/ir/diagnostic.ts';
import { defaultLimits } from '../../../src/ir/limits.ts';
import { convertDump, dumpKindOf, dumpKinds, resolveTopology } from '../../../src/read/index.ts';
import { drawn } from '../../draw.ts';
import { hostileNames } from '../../hostile-names.ts';
import { samples } from './samples.ts';

const limits = { ...defaultLimits, ranks: 64, operations: 5000, evaluations: 20_000 };

/** What becomes of a text; whatever is converted must be read. */
async function outcome(name: string, text: string): Promise<string> {
  try {
    const source = { name, text };
    const kind = dumpKindOf(source, true);
    if (kind === undefined) return 'no dump';
    const gpu = kind === 'smi' ? { gpu: 'h100' } : {};
    const boxes = kind === 'nccl' || kind === 'smi' ? { boxes: 2 } : {};
    const written = await convertDump(source, kind, { ...gpu, ...boxes, limits });
    try {
      const { chips } = resolveTopology('machine.yaml', { limits, read: () => written });
      expect(chips.length).toBeGreaterThan(0);
    } catch (error) {
      // A machine may be too large, or fall apart; what is written is never wrong in itself.
      if (!(error instanceof CccError) || !/^(?:limit|disconnected)$/.test(error.code))
        throw new Error(`${error}\n${written.text}`);
      return error.code;
    }
    return 'read';
  } catch (error) {
    if (error instanceof CccError) return error.code;
    throw error;
  }
}

describe.each(Object.entries(samples))('damaged %s', (name, sample) => {
  it('starts from one that is read', async () => expect(await outcome(name, sample)).toBe('read'));

  it('changes of characters, values and lines', async () => {
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat(8),
      put: fc.oneof(
        fc.string({ maxLength: 4 }),
        fc.constantFrom('0', '-1', '99999999999', '1e999', '"', '<', '\n', '\t', 'GPU0', 'NV3', 'SYS', '['),
      ),
    });
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const damaged = changes.reduce((text, { at, cut, put }) => {
          const start = Math.floor(at * text.length);
          return text.slice(0, start) + put + text.slice(start + cut);
        }, sample);
        const end = await outcome(name, damaged);
        seen.set(end, (seen.get(end) ?? 0) + 1);
      }),
      drawn(150),
    );
    // Both sides are met, or the test would show little.
    expect(seen.size).toBeGreaterThan(1);
  });

  it('cut off anywhere', async () => {
    for (let end = 0; end < sample.length; end += 29) await outcome(name, sample.slice(0, end));
  });
});

it('there is a sample of every format that is read', () => {
  const kinds = Object.entries(samples).map(([name, text]) => dumpKindOf({ name, text }, true));
  expect([...new Set(kinds)].sort()).toEqual(Object.keys(dumpKinds).sort());
});

describe('hostile texts', () => {
  it.each(hostileNames)('the name %j', async (name) => {
    expect(await outcome(name, samples['network.yml'])).toBe('read');
    expect(
      await outcome(
        'a.json',
        samples['sccl.json'].replace('"square"', JSON.stringify(name)).replace('"out"', JSON.stringify(name)),
      ),
    ).toMatch(/^(?:read|syntax|schema|no dump)$/);
  });

  it('very wide and very deep ones', async () => {
    expect(await outcome('a.xml', `<system>${'<cpu>'.repeat(100_000)}`)).toBe('limit');
    expect(await outcome('a.xml', `<system>${'<cpu/>'.repeat(100_000)}</system>`)).toBe('limit');
    expect(await outcome('a.txt', Array.from({ length: 100_000 }, (_, r) => `GPU${r}`).join(' '))).toBe('schema');
    const list = (entry: string) => `[${new Array(10_000).fill(entry).join(', ')}]`;
    expect(
      await outcome(
        'a.yml',
        `topology: ${list('Ring')}\nnpus_count: ${list('1')}\nbandwidth: ${list('1')}\nlatency: ${list('1')}\n`,
      ),
    ).toBe('read');
    expect(
      await outcome('a.yml', 'topology: [FullyConnected]\nnpus_count: [ 1e999 ]\nbandwidth: [1]\nlatency: [1]\n'),
    ).toBe('range');
  });
});
