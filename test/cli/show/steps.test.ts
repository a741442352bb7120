import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showSteps } from '../../../src/cli/show/index.ts';
import { drawn } from '../../draw.ts';
import {
  binomialGather,
  binomialReduce,
  collective,
  type Line,
  recursiveDoublingAllgather,
  ringAllgather,
  schedule,
  staggeredRingAllreduce,
} from './schedules.ts';

/** The blocks of the output that an empty line separates. */
function blocks(text: string): string[] {
  return text.trimEnd().split('\n\n');
}

/** The rows of a Markdown table without the header, as cells. */
function cells(table: string): string[][] {
  const lines = table.split('\n').slice(2);
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('collectives that move data', () => {
  it('prints the table of ring allgather on four nodes as textbooks do', () => {
    expect(showSteps(ringAllgather(4))).toContain(`
| Step    | Node 0    | Node 1    | Node 2    | Node 3    |
| ------- | --------- | --------- | --------- | --------- |
| Initial | [A]       | [B]       | [C]       | [D]       |
| Step 1  | [A,D]     | [B,A]     | [C,B]     | [D,C]     |
| Step 2  | [A,D,C]   | [B,A,D]   | [C,B,A]   | [D,C,B]   |
| Step 3  | [A,D,C,B] | [B,A,D,C] | [C,B,A,D] | [D,C,B,A] |
`);
  });

  it('prints the pairs of recursive doubling with what is exchanged and held', () => {
    expect(blocks(showSteps(recursiveDoublingAllgather(8))).slice(0, 2)).toEqual([
      'recursive-doubling-allgather: allgather on 8 nodes, 3 steps, M = 8 chunks',
      `| Step | Pairs                | Exchanged | Data per node after |
| ---- | -------------------- | --------- | ------------------- |
| 1    | (0,1)(2,3)(4,5)(6,7) | M/8       | M/4                 |
| 2    | (0,2)(1,3)(4,6)(5,7) | M/4       | M/2                 |
| 3    | (0,4)(1,5)(2,6)(3,7) | M/2       | M                   |`,
    ]);
  });

  it('does not call unequal messages an exchange', () => {
    const uneven: readonly Line[] = [
      ['copy', 0, 1, 0, 2],
      ['copy', 1, 0, 2],
    ];
    const table = blocks(showSteps(schedule('x', collective('allgather', 2, 2), [uneven])))[1];
    expect(cells(table)).toEqual([['1', '0→1, 1→0', 'M/4 or M/2', '3M/4 or M']]);
  });

  it('doubles the amounts of a binomial gather', () => {
    expect(cells(blocks(showSteps(binomialGather(8)))[1]).map((row) => row.slice(0, 3))).toEqual([
      ['1', '1→0, 3→2, 5→4, 7→6', 'M/8'],
      ['2', '2→0, 6→4', 'M/4'],
      ['3', '4→0', 'M/2'],
    ]);
  });

  it('names the chunks of a shard that has arrived in part', () => {
    const half: readonly Line[] = [
      ['copy', 0, 1, 1],
      ['copy', 1, 0, 2],
    ];
    const rest: readonly Line[] = [['copy', 0, 1, 0]];
    const table = blocks(showSteps(schedule('halves', collective('allgather', 2, 2), [half, rest])))[2];
    expect(cells(table)).toEqual([
      ['Initial', '[A]', '[B]'],
      ['Step 1', '[A,B₀]', '[B,A₁]'],
      ['Step 2', '[A,B₀]', '[B,A]'],
    ]);
  });

  it('follows data through scratch and shows local operations', () => {
    const steps: readonly (readonly Line[])[] = [
      [['copy', 0, 1, 0, 1, 'data', 'scratch', 0]],
      [['copy', 1, 1, 0, 1, 'scratch', 'data', 0]],
    ];
    const [, transfers, held, counts] = blocks(
      showSteps(schedule('staged', collective('gather', 2, 1, 1), steps, { scratch: 1 })),
    );
    expect(cells(transfers)).toEqual([
      ['1', '0→1', 'M/2', 'M/2 or M'],
      ['2', 'local at 1', '0', 'M/2 or M'],
    ]);
    expect(cells(held)[1]).toEqual(['Step 1', '[A]', '[B,A]']);
    expect(cells(counts)[0]).toEqual(['Steps', '1 (and 1 with local operations only)']);
  });

  it('calls the shards of alltoall by sender and receiver, those of scatter by receiver', () => {
    const exchange: readonly Line[] = [
      ['copy', 0, 1, 1, 1, 'input', 'data', 0],
      ['copy', 1, 0, 0, 1, 'input', 'data', 1],
    ];
    const alltoall = blocks(showSteps(schedule('exchange', collective('alltoall', 2), [exchange])))[2];
    expect(cells(alltoall)[1]).toEqual(['Step 1', '[A0,A1,B0]', '[B0,B1,A1]']);
    const scatter = blocks(showSteps(schedule('linear', collective('scatter', 3), [[['copy', 0, 2, 2]]])))[2];
    expect(cells(scatter)).toEqual([
      ['Initial', '[A,B,C]', '[]', '[]'],
      ['Step 1', '[A,B,C]', '[]', '[C]'],
    ]);
  });
});

describe('collectives that reduce', () => {
  it('prints the trace of binomial reduce', () => {
    const [, transfers, , states] = blocks(showSteps(binomialReduce(8)));
    expect(transfers).toBe(`| Step | Transfers          | Each message |
| ---- | ------------------ | ------------ |
| 1    | 1→0, 3→2, 5→4, 7→6 | M            |
| 2    | 2→0, 6→4           | M            |
| 3    | 4→0                | M            |`);
    expect(states).toBe(`| Step    | Node 0 | Node 1 | Node 2 | Node 3 | Node 4 | Node 5 | Node 6 | Node 7 |
| ------- | ------ | ------ | ------ | ------ | ------ | ------ | ------ | ------ |
| Initial | a₀     | a₁     | a₂     | a₃     | a₄     | a₅     | a₆     | a₇     |
| Step 1  | a₀₊₁*  | a₁     | a₂₊₃*  | a₃     | a₄₊₅*  | a₅     | a₆₊₇*  | a₇     |
| Step 2  | a₀…₃*  | a₁     | a₂₊₃   | a₃     | a₄…₇*  | a₅     | a₆₊₇   | a₇     |
| Step 3  | Σa*    | a₁     | a₂₊₃   | a₃     | a₄…₇   | a₅     | a₆₊₇   | a₇     |`);
  });

  it('shows the staggered ring on five nodes step by step', () => {
    const [, , , states, counts] = blocks(showSteps(staggeredRingAllreduce(5)));
    const rows = cells(states);
    expect(
      states.split('\n').slice(0, 27).join('\n'),
    ).toBe(`| Step    | Element | Node 0 | Node 1 | Node 2 | Node 3 | Node 4 |
| ------- | ------- | ------ | ------ | ------ | ------ | ------ |
| Initial | a       | a₀     | a₁     | a₂     | a₃     | a₄     |
|         | b       | b₀     | b₁     | b₂     | b₃     | b₄     |
|         | c       | c₀     | c₁     | c₂     | c₃     | c₄     |
|         | d       | d₀     | d₁     | d₂     | d₃     | d₄     |
|         | e       | e₀     | e₁     | e₂     | e₃     | e₄     |
| Step 1  | a       | a₀     | a₁     | a₂     | a₃     | a₄₊₀*  |
|         | b       | b₀₊₁*  | b₁     | b₂     | b₃     | b₄     |
|         | c       | c₀     | c₁₊₂*  | c₂     | c₃     | c₄     |
|         | d       | d₀     | d₁     | d₂₊₃*  | d₃     | d₄     |
|         | e       | e₀     | e₁     | e₂     | e₃₊₄*  | e₄     |
| Step 2  | a       | a₀     | a₁     | a₂     | a₃…₀*  | a₄₊₀   |
|         | b       | b₀₊₁   | b₁     | b₂     | b₃     | b₄…₁*  |
|         | c       | c₀…₂*  | c₁₊₂   | c₂     | c₃     | c₄     |
|         | d       | d₀     | d₁…₃*  | d₂₊₃   | d₃     | d₄     |
|         | e       | e₀     | e₁     | e₂…₄*  | e₃₊₄   | e₄     |
| Step 3  | a       | a₀     | a₁     | a₂…₀*  | a₃…₀   | a₄₊₀   |
|         | b       | b₀₊₁   | b₁     | b₂     | b₃…₁*  | b₄…₁   |
|         | c       | c₀…₂   | c₁₊₂   | c₂     | c₃     | c₄…₂*  |
|         | d       | d₀…₃*  | d₁…₃   | d₂₊₃   | d₃     | d₄     |
|         | e       | e₀     | e₁…₄*  | e₂…₄   | e₃₊₄   | e₄     |
| Step 4  | a       | a₀     | Σa*    | a₂…₀   | a₃…₀   | a₄₊₀   |
|         | b       | b₀₊₁   | b₁     | Σb*    | b₃…₁   | b₄…₁   |
|         | c       | c₀…₂   | c₁₊₂   | c₂     | Σc*    | c₄…₂   |
|         | d       | d₀…₃   | d₁…₃   | d₂₊₃   | d₃     | Σd*    |
|         | e       | Σe*    | e₁…₄   | e₂…₄   | e₃₊₄   | e₄     |`);
    expect(rows.slice(-5).map((row) => row.slice(2).map((cell) => cell.replace('*', '')))).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((element) => Array(5).fill(`Σ${element}`)),
    );
    // The notes' counts: 2(p−1) steps, 2(p−1)D bytes, 2D/p handled by a node in a step.
    expect(cells(counts).map((row) => row[1])).toEqual(['8', '40', '8M', 'M/5', 'M/5', '2M/5']);
  });

  it('counts the full mesh and the single node as the notes do', () => {
    const all = Array.from({ length: 5 }, (_, rank) => rank);
    const mesh = all.flatMap((a) => all.filter((b) => b !== a).map((b): Line => ['reduce', a, b, 0]));
    const toOne = [1, 2, 3, 4].map((r): Line => ['reduce', r, 0, 0]);
    const fromOne = [1, 2, 3, 4].map((r): Line => ['copy', 0, r, 0]);
    const countsOf = (steps: readonly (readonly Line[])[]): string[] =>
      cells(blocks(showSteps(schedule('x', collective('allreduce', 5), steps))).at(-1) ?? '').map((row) => row[1]);
    expect(countsOf([mesh])).toEqual(['1', '20', '20M', '4M', '4M', '8M']);
    expect(countsOf([toOne, fromOne])).toEqual(['2', '8', '8M', '4M', '4M', '4M']);
  });

  it('shows scratch and output where they are used, and what is not written yet', () => {
    const steps: readonly (readonly Line[])[] = [
      [['copy', 0, 1, 0, 1, 'input', 'scratch', 0]],
      [['copy', 1, 1, 0, 1, 'scratch', 'data', 0]],
    ];
    const states = blocks(showSteps(schedule('x', collective('exscan', 2), steps, { scratch: 1 })))[3];
    expect(cells(states)).toEqual([
      ['Initial', 'a', '–', '–'],
      ['', 'scratch 0', '–', '–'],
      ['Step 1', 'a', '–', '–'],
      ['', 'scratch 0', '–', 'a₀*'],
      ['Step 2', 'a', '–', 'a₀*'],
      ['', 'scratch 0', '–', 'a₀'],
    ]);
  });

  it('shows contributions that arrive twice or at the wrong element', () => {
    const twice: readonly Line[] = [['reduce', 1, 0, 0]];
    const wrong: readonly Line[] = [['reduce', 1, 0, 1, 1, 'data', 'data', 0]];
    const states = blocks(showSteps(schedule('x', collective('reduce', 3, 2), [twice, twice, wrong])))[3];
    expect(cells(states)[4][2]).toBe('a₀⊕2·a₁*');
    expect(cells(states)[6][2]).toBe('a₀⊕2·a₁⊕b₁*');
  });
});

describe('large schedules', () => {
  it('writes a long step as the rule it follows', () => {
    const ring = cells(blocks(showSteps(ringAllgather(64)))[1]);
    expect(ring[0]).toEqual(['1', 'r → r+1 mod 64', 'M/64', 'M/32']);
    expect(ring).toHaveLength(63);
    const doubling = cells(blocks(showSteps(recursiveDoublingAllgather(64)))[1]);
    expect(doubling.map((row) => row[1])).toEqual([1, 2, 4, 8, 16, 32].map((mask) => `r ↔ r xor ${mask}`));
  });

  it('does not take everyone sending twice for a rule', () => {
    const twice = Array.from({ length: 40 }, (_, r): Line[] => {
      const to = (r + (r % 2 === 0 ? 1 : 39)) % 40;
      return [
        ['copy', r, to, r],
        ['copy', r, to, r],
      ];
    }).flat();
    expect(showSteps(schedule('x', collective('allgather', 40), [twice]))).toContain('0→1, 0→1, 1→0, 1→0, ');
  });

  it('says how many transfers and steps it leaves out', () => {
    const chain = Array.from({ length: 300 }, (): readonly Line[] => [['copy', 0, 1, 0]]);
    const text = showSteps(schedule('long', collective('broadcast', 2), chain));
    expect(text).toContain('… 201 more steps');
    const states = cells(blocks(text)[2]);
    expect(states).toHaveLength(128);
    expect(states.slice(-2)).toEqual([
      ['…', '…', '…'],
      ['Step 300', '[A]', '[A]'],
    ]);
    const leaves = Array.from({ length: 63 }, (_, r): Line => ['reduce', r + 1, 0, 0]);
    const star = showSteps(schedule('star', collective('reduce', 64), [leaves]));
    expect(cells(blocks(star)[1])[0][1]).toMatch(/^1→0, 2→0, .*, … \d+ more$/);
    expect(star).toContain('(States are drawn for up to 16 nodes.)');
  });

  it('keeps to the width, without trailing spaces, whatever the number of nodes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 72, max: 160 }), (ranks, width) => {
        for (const shown of [ringAllgather(ranks, 2), staggeredRingAllreduce(ranks)]) {
          const lines = showSteps(shown, width).split('\n');
          for (const line of lines) {
            expect([...line].length).toBeLessThanOrEqual(width);
            expect(line).toBe(line.trimEnd());
          }
        }
      }),
      drawn(25),
    );
  });

  it('shows the rounds that k-synchronous steps claim', () => {
    const text = showSteps(schedule('x', collective('allgather', 2), [[['copy', 0, 1, 0]]], { rounds: 3 }));
    expect(text).toMatch(/\| Rounds claimed per unit link +\| 3 +\|/);
  });

  it('shows a schedule without steps', () => {
    expect(blocks(showSteps(ringAllgather(1)))[0]).toBe('ring-allgather: allgather on 1 node, 0 steps, M = 1 chunk');
  });
});
