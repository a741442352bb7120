import { describe, expect, it } from 'vitest';
import { showDefinition, showOverlay, showPlan, showUnderlay } from '../../../src/cli/show/index.ts';
import { collectiveKinds } from '../../../src/ir/collective.ts';
import { customResults } from '../../../src/ir/custom-results.ts';
import type { CostReport } from '../../../src/ir/report.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { chainBroadcast, longStream, pairReduce } from './plans.ts';
import { collective } from './schedules.ts';
import { duplex } from './topologies.ts';

describe('programs', () => {
  it('prints a plan rank by rank, lane by lane', () => {
    expect(showPlan(chainBroadcast())).toBe(`chain-broadcast: broadcast on 3 ranks, 7 operations, M = 2 chunks, 2 bulks

rank 0: input 2, output 2, scratch 0
  lane 0
    0 send input[0..1] → 1  (step 1)
  lane 1
    0 copy input[0..1] → output[0..1]  (step 0)

rank 1: input 0, output 2, scratch 0
  lane 0
    0 recv output[0..1] ← 0  (step 1)
  lane 1
    0 send output[0] → 2 channel 3  (step 2)  after 0.0
    1 send output[1] → 2 channel 3  (step 2)  after 0.0

rank 2: input 0, output 2, scratch 0
  lane 0
    0 recv output[0] ← 1 channel 3  (step 2)
    1 recv output[1] ← 1 channel 3  (step 2)
`);
  });

  it('prints reductions, their order, and waits for earlier bulks', () => {
    expect(showPlan(pairReduce())).toBe(`pair-reduce: reduce on 2 ranks, 4 operations, M = 1 chunk, 2 copies of scratch

rank 0: input 1, output 1, scratch 1
  lane 7
    0 copy input[0] → scratch[0]  (step 0)  after 7.1 (2 bulks earlier)
    1 recvReduce scratch[0] ⊕← 1, incoming first  (step 1)
    2 reduce scratch[0] ⊕→ output[0]  (step 2)

rank 1: input 1, output 0, scratch 0
  lane 0
    0 send input[0] → 0  (step 1)
`);
  });

  it('stops after 20,000 operations and says so', () => {
    const lines = showPlan(longStream(15_000)).trimEnd().split('\n');
    expect(lines.at(-1)).toBe('… 10000 more operations (from rank 1 on)');
    expect(lines.filter((line) => line.includes('(step '))).toHaveLength(20_000);
  });
});

describe('definition', () => {
  it('draws shards that move', () => {
    expect(showDefinition(collective('allgather', 3, 8))).toBe(`allgather (3 nodes): everyone gets everyone's shard

| Node | In  | Out       |
| ---- | --- | --------- |
| 0    | [A] | [A, B, C] |
| 1    | [B] | [A, B, C] |
| 2    | [C] | [A, B, C] |
`);
    expect(showDefinition(collective('alltoall', 2))).toContain(`
| 0    | [A0, A1] | [A0, B0] |
| 1    | [B0, B1] | [A1, B1] |
`);
    expect(showDefinition(collective('scatter', 2, 1, 1))).toContain(`
| 0    | –      | [A] |
| 1    | [A, B] | [B] |
`);
  });

  it('draws vectors that are reduced', () => {
    expect(showDefinition(collective('reducescatter', 2))).toContain(`
| 0    | [a₀, b₀] | [Σa] |
| 1    | [a₁, b₁] | [Σb] |
`);
    expect(showDefinition({ ...collective('reduce', 2, 1, 1), op: 'max' })).toContain(`
| 0    | [a₀, b₀] | –              |
| 1    | [a₁, b₁] | [max a, max b] |
`);
    expect(showDefinition(collective('exscan', 3))).toContain(`
| 0    | [a₀, b₀, c₀] | [any, any, any]    |
| 1    | [a₁, b₁, c₁] | [a₀, b₀, c₀]       |
| 2    | [a₂, b₂, c₂] | [a₀₊₁, b₀₊₁, c₀₊₁] |
`);
  });

  it('draws a custom collective from its data', () => {
    const custom = {
      input: [1, 1],
      output: [2, 0],
      results: customResults([
        [
          [
            { rank: 1, chunk: 0 },
            { rank: 0, chunk: 0 },
          ],
          null,
        ],
        [],
      ]),
    };
    expect(showDefinition({ ...collective('custom', 2), custom })).toContain(`
| 0    | [a₀] | [a₁⊕a₀, any] |
| 1    | [a₁] | –            |
`);
  });

  it.each(collectiveKinds.filter((kind) => kind !== 'custom'))('is short for %s on many nodes', (kind) => {
    const lines = showDefinition(collective(kind, 5_000)).split('\n');
    expect(lines.length).toBeLessThan(40);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(300);
  });
});

describe('overlay', () => {
  it('lists who talks to whom and the programs in brief', () => {
    expect(
      showOverlay(chainBroadcast()),
    ).toBe(`chain-broadcast: broadcast on 3 ranks, 7 operations, M = 2 chunks, 2 bulks
overlay: 2 edges, 6 messages, 2M in total; each rank sends to 0 to 1 other

| Overlay edge | Messages | Chunks per bulk | Amount |
| ------------ | -------- | --------------- | ------ |
| 0 → 1        | 2        | 2               | M      |
| 1 → 2        | 4        | 2               | M      |

programs (→ send, ← receive, ⊕ receive and reduce, × repeated)
  rank 0
    lane 0  →1
    lane 1  copy
  rank 1
    lane 0  ←0
    lane 1  →2×2
  rank 2
    lane 0  ←1×2
`);
    expect(showOverlay(pairReduce())).toContain('    lane 7  copy ⊕1 reduce\n');
  });
});

describe('underlay', () => {
  it('shows the route of every overlay edge and how busy links are', () => {
    // Chips 0, 1, 2 on a line of routers: chip 0 and 1 on the first, chip 2 on the second.
    const machine = duplex(
      'routers',
      3,
      [
        [0, 3],
        [1, 3],
        [2, 4],
        [3, 4],
      ],
      ['router a', 'router b'],
    );
    const used = [0, 3, 2, 6, 5].map((link, index) => ({ link, messages: 1, bytes: 1024, busy: index * 1e-6 }));
    const report: CostReport = {
      seconds: 4e-6,
      messages: 6,
      bytesMoved: 2048,
      bytesOnLinks: 5120,
      stretch: 2.5,
      links: [...used, { link: 1, messages: 0, bytes: 0, busy: 0 }],
      criticalPath: [],
    };
    expect(showUnderlay(chainBroadcast(), new Routes(machine), report)).toBe(
      `chain-broadcast on routers: 4 µs, 6 messages, 2 KiB moved, 5 KiB on links
stretch 2.5 (links per overlay edge on average)

| Overlay edge | Links | Route                                 |
| ------------ | ----- | ------------------------------------- |
| 0 → 1        | 2     | chip 0 → router a → chip 1            |
| 1 → 2        | 3     | chip 1 → router a → router b → chip 2 |

| Link                | Messages | Bytes | Busy | Utilisation                |
| ------------------- | -------- | ----- | ---- | -------------------------- |
| chip 0 → router a   | 1        | 1 KiB | 0 s  | ░░░░░░░░░░░░░░░░░░░░   0 % |
| router a → chip 1   | 1        | 1 KiB | 1 µs | █████░░░░░░░░░░░░░░░  25 % |
| chip 1 → router a   | 1        | 1 KiB | 2 µs | ██████████░░░░░░░░░░  50 % |
| router a → router b | 1        | 1 KiB | 3 µs | ███████████████░░░░░  75 % |
| router b → chip 2   | 1        | 1 KiB | 4 µs | ████████████████████ 100 % |

3 links of 8 not used
`,
    );
  });

  it('says when there is no route', () => {
    const apart = duplex('apart', 3, [[0, 1]]);
    const report: CostReport = {
      seconds: 0,
      messages: 0,
      bytesMoved: 0,
      bytesOnLinks: 0,
      stretch: 0,
      links: [{ link: 0, messages: 1, bytes: 0, busy: 0 }],
      criticalPath: [],
    };
    const text = showUnderlay(chainBroadcast(), new Routes(apart), report);
    expect(text).toMatch(/\| 1 → 2 +\| – +\| none/);
    expect(text).toContain('░░░░   0 %');
  });
});
