/** SCCL's algorithm JSON: its own statement of what must come out, and every mistake with its place. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CccError } from '../../src/ir/diagnostic.ts';
import { lower } from '../../src/lower/index.ts';
import { isScclText, readSccl } from '../../src/read/sccl/index.ts';
import { verify } from '../../src/verify/index.ts';
import { drawn } from '../draw.ts';

interface Chunk {
  readonly pre: readonly number[];
  readonly post: readonly number[];
  readonly addr: number;
}

type Send = readonly [number, number, number];

/** A document as SCCL writes it, with its fields in that order. */
function algorithm(ranks: number, chunks: readonly Chunk[], ...steps: readonly (readonly Send[])[]): string {
  return JSON.stringify({
    msccl_type: 'algorithm',
    name: 'mine',
    instance: { msccl_type: 'instance', steps: steps.length, extra_rounds: 0, chunks: 1, pipeline: null },
    input_map: {},
    output_map: {},
    steps: steps.map((sends) => ({ msccl_type: 'step', rounds: 1, sends })),
    collective: { msccl_type: 'collective', name: 'c', nodes: ranks, chunks, triggers: {}, runtime_name: 'c' },
    topology: { msccl_type: 'topology', name: 't', switches: [], links: [[0]] },
  });
}

const verdictOf = (text: string): string => verify(lower(readSccl({ name: 'sccl.json', text }))).verdict;

const ranks = [0, 1, 2];
/** Rank r's chunk must get everywhere. */
const gathered = ranks.map((rank) => ({ pre: [rank], post: ranks, addr: rank }));
/** Chunk 0 of all ranks must be combined everywhere. */
const reduced = ranks.map((rank) => ({ pre: [rank], post: ranks, addr: 0 }));
const ring = (back: number): readonly Send[] => ranks.map((rank) => [(rank + 3 - back) % 3, rank, (rank + 1) % 3]);

describe('SCCL algorithms', () => {
  it('are known by their first field', () => {
    expect(isScclText({ name: 'x', text: algorithm(1, []) })).toBe(true);
    expect(isScclText({ name: 'x', text: ' {\n"sccl_type": "algorithm"}' })).toBe(true);
    expect(isScclText({ name: 'x', text: '{"format": "ccc-plan"}' })).toBe(false);
  });

  it('ring allgather', () => {
    expect(verdictOf(algorithm(3, gathered, ring(0), ring(1)))).toBe('correct');
    expect(verdictOf(algorithm(3, gathered, ring(0)))).toBe('uninitialised');
    // What is sent in a step was there before it: here it was not.
    expect(verdictOf(algorithm(3, gathered, [...ring(0), ...ring(1)]))).not.toBe('correct');
  });

  it('all to all: each chunk from one rank to one', () => {
    const chunks = ranks.flatMap((from) => ranks.map((to) => ({ pre: [from], post: [to], addr: 3 * from + to })));
    const sends = chunks.flatMap(({ pre, post, addr }): Send[] =>
      pre[0] === post[0] ? [] : [[addr, pre[0], post[0]]],
    );
    expect(verdictOf(algorithm(3, chunks, sends))).toBe('correct');
    expect(verdictOf(algorithm(3, chunks, sends.slice(1)))).toBe('uninitialised');
  });

  it('chunks of one address are combined where they meet; a sum replaces its parts', () => {
    const chain: readonly Send[][] = [[[0, 2, 1]], [[0, 1, 0]], [[0, 0, 1]], [[0, 1, 2]]];
    expect(verdictOf(algorithm(3, reduced, ...chain))).toBe('correct');
    expect(verdictOf(algorithm(3, reduced, ...chain.slice(0, 3)))).toBe('wrong-result');
    // 0 gets 1's chunk, 1 gets both, then 0 gets 1's again together with 2's: twice.
    expect(verdictOf(algorithm(3, reduced, [[0, 1, 0]], [[0, 2, 1]], [[0, 1, 0]], [[0, 0, 1]], [[0, 0, 2]]))).toBe(
      'wrong-result',
    );
  });

  it('keep the place of each send', () => {
    const { steps } = readSccl({ name: 'sccl.json', text: algorithm(3, gathered, ring(0), ring(1)) });
    const texts = steps.inStep(1).map(({ origin }) => origin?.source.text.slice(origin.start, origin.end));
    expect(texts).toEqual(['[0,0,1]', '[1,1,2]', '[2,2,0]']);
    expect(steps.rounds[1]).toBe(1);
  });

  it('gives a verdict or an error with its place for every change of a value', () => {
    const text = algorithm(3, reduced, [[0, 2, 1]], [[0, 1, 0]], [[0, 0, 1]], [[0, 1, 2]]);
    const values = [...text.matchAll(/\d+|[[\]{}]|"\w+"/g)];
    const change = fc.tuple(
      fc.nat(values.length - 1),
      fc.constantFrom('0', '1', '2', '9', '99999', '-1', '[]', '{}', '"x"', ''),
    );
    fc.assert(
      fc.property(change, change, (first, second) => {
        let damaged = text;
        for (const [at, value] of [first, second].sort((a, b) => b[0] - a[0])) {
          const { index, 0: old } = values[at];
          damaged = damaged.slice(0, index) + value + damaged.slice(index + old.length);
        }
        try {
          verdictOf(damaged);
        } catch (error) {
          if (!(error instanceof CccError)) throw error;
        }
      }),
      drawn(300),
    );
  });

  const mistakes: readonly [string, string, string][] = [
    ['a rank that does not exist', algorithm(3, gathered, [[0, 0, 3]]), 'no rank 3'],
    ['a rank that sends to itself', algorithm(3, gathered, [[0, 1, 1]]), 'itself'],
    ['an address that no chunk has', algorithm(3, gathered, [[7, 0, 1]]), 'address 7'],
    ['a chunk on a rank that does not exist', algorithm(2, gathered), 'no rank 2'],
    ['a chunk in several places', algorithm(2, [{ pre: [0, 1], post: [0], addr: 0 }]), 'one rank'],
    [
      'two chunks in one place',
      algorithm(
        2,
        [gathered[0], gathered[0]].map((c) => ({ ...c, post: [0] })),
      ),
      'two chunks',
    ],
    ['sends of two numbers', algorithm(3, gathered, ring(0)).replace('[0,0,1]', '[0,1]'), '2 entries'],
    ['no collective', '{"sccl_type": "algorithm", "name": "x", "steps": []}', "'collective'"],
    ['another document', '{"sccl_type": "topology"}', 'algorithm'],
    ['broken JSON', '{"sccl_type": "algorithm", ', 'not JSON'],
  ];
  it.each(mistakes)('are refused with %s', (_, text, word) => {
    expect(() => readSccl({ name: 'sccl.json', text })).toThrow(CccError);
    expect(() => readSccl({ name: 'sccl.json', text })).toThrow(word);
  });
});
