/** Damaged MSCCL files: a verdict or a located CccError, never another error, never without end. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CccError } from '../../src/ir/diagnostic.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { verdicts } from '../../src/ir/verification.ts';
import { verifyMsccl } from '../../src/jobs/verify-msccl.ts';
import { drawn } from '../draw.ts';
import { algo, exchange, gpu, step, tb } from './msccl-text.ts';

/** An allreduce with waits, through nops too, and a message that goes there and back when it is done. */
const rich = algo(
  'allreduce',
  { chunks: 2, inPlace: true },
  ...[0, 1].map((rank) =>
    gpu(
      rank,
      [2, 0, 2],
      tb(0, 1 - rank, -1, 0, step('s', { count: 2, publishes: true })),
      tb(1, -1, 1 - rank, 0, step('r', { dst: 's0', count: 2, publishes: true })),
      tb(
        2,
        ...([-1, -1, 1] as const),
        step('nop', { wait: [1, 0] }),
        step('re', { src: 's0', dst: 'i0', count: 2, wait: [0, 0], publishes: true }),
        step('nop', { publishes: true }),
      ),
      tb(
        ...([3, 1 - rank, 1 - rank, 2] as const),
        ...(rank === 0
          ? [step('s', { wait: [2, 2] }), step('r', { dst: 's1' })]
          : [step('rcs', { dst: 's1', wait: [2, 1] })]),
      ),
    ),
  ),
);

/** Reads and verifies; anything but a verdict or an error with a place fails. */
function outcome(text: string): string {
  const limits = { ...defaultLimits, operations: 10_000, chunks: 10_000, ranks: 64 };
  try {
    const { verification } = verifyMsccl({ name: 'fuzz', text }, { limits });
    expect(verdicts).toContain(verification.verdict);
    return verification.verdict;
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    expect(error.message).not.toBe('');
    if (error.range === undefined) expect(error.code).toMatch(/^(limit|range)$/);
    return error.code;
  }
}

describe('damaged files', () => {
  it('start from one that is read', () => {
    expect(outcome(exchange)).toBe('correct');
    expect(outcome(rich)).toBe('correct');
  });

  it('any text', () => {
    const pieces = fc.constantFrom(
      '<',
      '>',
      '/',
      '"',
      '=',
      '&',
      ';',
      '!',
      '-',
      '?',
      '[',
      ']',
      ' ',
      '\n',
      '\0',
      'é',
      '😀',
      '\ud800',
    );
    const words = fc.constantFrom(
      '<algo ',
      '<gpu ',
      '<!DOCTYPE ',
      '<![CDATA[',
      'ngpus="2"',
      '</algo>',
      '&amp;',
      '<?xml ',
    );
    const text = fc.array(fc.oneof(pieces, words, fc.string({ maxLength: 5 })), { maxLength: 40 });
    fc.assert(
      fc.property(text, (parts) => void outcome(parts.join(''))),
      drawn(300),
    );
  });

  it('changes of characters', () => {
    const places = fc.array(fc.tuple(fc.nat(exchange.length - 1), fc.constantFrom(...'<>/"=0-19sr ')), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(places, (changes) => {
        let text = exchange;
        for (const [at, character] of changes) text = text.slice(0, at) + character + text.slice(at + 1);
        outcome(text);
      }),
      drawn(300),
    );
  });

  it('changes of values, lost and doubled lines', () => {
    const values = [...rich.matchAll(/"[^"]*"/g)].map((match) => match.index);
    const lines = rich.split('\n').length;
    const replacement = fc.constantFrom(
      '-2',
      '-1',
      '0',
      '1',
      '2',
      '3',
      '9',
      '2147483647',
      '99999999999',
      '',
      'x',
      's',
      'rrcs',
      'rrs',
      'rrc',
      're',
      'nop',
      'i',
      'o',
    );
    const change = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('value' as const),
          at: fc.nat(values.length - 1),
          value: replacement,
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constantFrom('lost' as const, 'doubled' as const), at: fc.nat(lines - 1) }),
      },
    );
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        let text = rich;
        // From the back, so that the places in front stay where they are.
        const edits = changes.flatMap((c) => (c.kind === 'value' ? [{ at: values[c.at], value: c.value }] : []));
        for (const { at, value } of edits.sort((a, b) => b.at - a.at)) {
          text = `${text.slice(0, at + 1)}${value}${text.slice(text.indexOf('"', at + 1))}`;
        }
        const rows = text.split('\n');
        for (const c of changes) {
          if (c.kind === 'lost') rows.splice(c.at, 1);
          if (c.kind === 'doubled') rows.splice(c.at, 0, rows[c.at] ?? '');
        }
        seen.add(outcome(rows.join('\n')));
      }),
      drawn(300),
    );
    // The changes reach many kinds of ends, the rarer ones not every day.
    expect(seen.size).toBeGreaterThan(3);
    expect(seen).toContain('malformed');
  });

  it('very deep, very long and very entangled ones', () => {
    expect(outcome('<algo '.repeat(100_000))).toBe('syntax');
    expect(outcome('<a>'.repeat(100_000))).toBe('malformed');
    expect(outcome(`<!DOCTYPE a [<!ENTITY b "${'&c;'.repeat(1000)}">]>${exchange.replace('mine', '&b;')}`)).toBe(
      'syntax',
    );
    // Each step waits through all nops before it.
    const nops = Array.from({ length: 3000 }, () => step('nop', { wait: [0, 0], publishes: true }));
    const copies = Array.from({ length: 3000 }, (_, at) => step('cpy', { dst: 's0', wait: [1, at] }));
    const text = algo(
      'allreduce',
      { inPlace: true },
      gpu(
        0,
        [1, 0, 1],
        tb(0, -1, -1, 0, step('cpy', { dst: 's0', publishes: true })),
        tb(1, -1, -1, 0, ...nops),
        tb(2, -1, -1, 0, ...copies),
      ),
    );
    expect(outcome(text)).toBe('correct');
  });
});
