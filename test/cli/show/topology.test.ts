import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showTopology } from '../../../src/cli/show/index.ts';
import { drawn } from '../../draw.ts';
import { duplex, grid, link, node, ring, topology } from './topologies.ts';

/** The second block of the output: the drawing where there is one. */
function drawing(shown: ReturnType<typeof duplex>, width = 100): string {
  return showTopology(shown, width).split('\n\n')[1];
}

describe('a topology in full', () => {
  it('is name, drawing, links, neighbours, engines', () => {
    expect(showTopology(duplex('ring:4', 4, ring(4)), 100)).toBe(`ring:4: 4 chips, 8 directed links

┌─ chip 0 ── chip 1 ─┐
└─ chip 3 ── chip 2 ─┘

| Links | Count | Latency | Bandwidth | Occupancy | Unit links |
| ----- | ----- | ------- | --------- | --------- | ---------- |
| #1    | 8     | 1 µs    | 50 GB/s   | blocking  | 1          |

chip 0 → chip 1, chip 3
chip 1 → chip 0, chip 2
chip 2 → chip 1, chip 3
chip 3 → chip 0, chip 2

each chip: reducing is free; local copies are free
`);
  });

  it('tells classes of links, kinds of chips, ranks, groups, limits and notes apart', () => {
    const fast = { reduce: { throughput: 512e9, overlap: true }, ports: { send: 1, receive: 2 } };
    const slow = { reduce: { throughput: 64e9, overlap: false }, copy: { throughput: 128e9 } };
    const nodes = [
      node('chip', 'a', fast),
      node('chip', 'b', fast),
      node('switch', 'hub', { multicast: true }),
      node('chip', 'c', slow),
    ];
    const links = [
      link(0, 2),
      link(2, 0),
      link(1, 2),
      link(2, 1, { latency: 2e-6 }),
      link(2, 3, { occupancy: 'pipelined', units: 2 }),
      link(3, 2),
    ];
    const text = showTopology(
      topology('mine.yaml', nodes, links, {
        chips: [3, 0, 1],
        inflight: 0,
        groups: [[0], [1, 2]],
        notes: ['model, not measured'],
      }),
      100,
    );
    expect(text).toBe(`mine.yaml: 3 chips, 1 switch, 6 directed links
note: model, not measured

hub
├── a
├── b
└── c

| Links | Count | Latency | Bandwidth | Occupancy | Unit links |
| ----- | ----- | ------- | --------- | --------- | ---------- |
| #1    | 4     | 1 µs    | 50 GB/s   | blocking  | 1          |
| #2    | 1     | 2 µs    | 50 GB/s   | blocking  | 1          |
| #3    | 1     | 1 µs    | 50 GB/s   | pipelined | 2          |

a → hub (#1)
b → hub (#1)
hub → a (#1), b (#2), c (#3)
c → hub (#1)

rank 0: reduces 64 GB/s, not while sending or receiving; copies 128 GB/s
ranks 1, 2: reduces 512 GB/s; local copies are free; 1 send at a time; 2 receives at a time
switches can send one message to several outputs
in flight: 0 transfers per connection (rendezvous)
ranks: 0 on c, 1 on a, 2 on b
groups of ranks: {0} {1, 2}
`);
  });

  it('sums up a machine of more than 64 nodes and does not name every chip', () => {
    const text = showTopology(duplex('torus:9x9', 81, grid(9, 9, { rows: true, columns: true })), 100);
    expect(text).toContain('each chip has 4 links out');
    expect(text).not.toContain('chip 80');
  });

  it('survives a single chip and names with control characters', () => {
    const lonely = topology('ring:1', [node('chip', 'a\u001b[2J|\nb')], []);
    expect(showTopology(lonely, 100)).toBe(`ring:1: 1 chip, 0 directed links

each chip: reducing is free; local copies are free
ranks: 0 on a�[2J|�b
`);
  });
});

describe('drawings', () => {
  it('draws odd rings, one-way rings, and long ones as wrapped lines', () => {
    expect(drawing(duplex('ring:5', 5, ring(5)))).toBe(`┌─ chip 0 ── chip 1 ── chip 2 ─┐
└─ chip 4 ── chip 3 ───────────┘`);
    const chips = Array.from({ length: 4 }, (_, rank) => node('chip', `chip ${rank}`));
    expect(
      drawing(
        topology(
          'x',
          chips,
          ring(4).map(([a, b]) => link(a, b)),
        ),
      ),
    ).toBe(`┌→ chip 0 ─→ chip 1 ─┐
└─ chip 3 ←─ chip 2 ←┘`);
    expect(drawing(duplex('ring:8', 8, ring(8)), 40)).toBe(`chip 0 ── chip 1 ── chip 2 ── chip 3 ──
chip 4 ── chip 5 ── chip 6 ── chip 7 ──
(chip 0)`);
  });

  it('follows the links of a ring, not its numbers', () => {
    const pairs = [
      [0, 2],
      [2, 1],
      [1, 3],
      [3, 0],
    ] as const;
    expect(drawing(duplex('x', 4, pairs))).toBe(`┌─ chip 0 ── chip 2 ─┐
└─ chip 3 ── chip 1 ─┘`);
  });

  it('draws lines', () => {
    expect(
      drawing(
        duplex('line:3', 3, [
          [0, 2],
          [2, 1],
        ]),
      ),
    ).toBe('chip 0 ── chip 2 ── chip 1');
  });

  it('draws meshes and ladders, however they are numbered', () => {
    expect(drawing(duplex('mesh:2x3', 6, grid(2, 3)))).toBe(`chip 0 ── chip 1 ── chip 2
   │         │         │
chip 3 ── chip 4 ── chip 5`);
    const ladder = [
      [0, 1],
      [2, 3],
      [4, 5],
      [6, 7],
      [0, 2],
      [1, 3],
      [0, 4],
      [1, 5],
      [2, 6],
      [3, 7],
    ] as const;
    expect(drawing(duplex('sg2260x8', 8, ladder))).toBe(`chip 4 ── chip 0 ── chip 2 ── chip 6
   │         │         │         │
chip 5 ── chip 1 ── chip 3 ── chip 7`);
  });

  it('marks where a torus wraps round', () => {
    const wrapping = { rows: true, columns: true };
    expect(showTopology(duplex('torus:3x3', 9, grid(3, 3, wrapping)), 100)).toContain(
      `
     ┆         ┆         ┆
┄ chip 0 ── chip 1 ── chip 2 ┄
     │         │         │
`,
    );
    expect(drawing(duplex('x', 8, grid(2, 4, { rows: true })))).toBe(`┄ chip 0 ── chip 1 ── chip 2 ── chip 3 ┄
     │         │         │         │
┄ chip 4 ── chip 5 ── chip 6 ── chip 7 ┄`);
  });

  it('draws trees from a switch or from the middle', () => {
    const star = [
      [0, 4],
      [1, 4],
      [2, 4],
      [3, 4],
    ] as const;
    expect(drawing(duplex('switch:4', 4, star, ['switch']))).toBe(`switch
├── chip 0
├── chip 1
├── chip 2
└── chip 3`);
    const tree = [
      [0, 1],
      [0, 2],
      [1, 3],
      [1, 4],
      [2, 5],
      [2, 6],
    ] as const;
    expect(drawing(duplex('tree:7', 7, tree))).toBe(`chip 0
├── chip 1
│   ├── chip 3
│   └── chip 4
└── chip 2
    ├── chip 5
    └── chip 6`);
  });

  it('takes the first of two centres', () => {
    const pairs = [
      [0, 1],
      [0, 2],
      [1, 3],
      [1, 4],
    ] as const;
    expect(drawing(duplex('tree:5', 5, pairs))).toMatch(/^chip 0\n/);
  });

  it('takes a chip that nothing is linked to for no tree', () => {
    const chips = [0, 1, 2, 3].map((rank) => node('chip', `chip ${rank}`));
    const triangle = ring(3).flatMap(([a, b]) => [link(a, b), link(b, a)]);
    const text = showTopology(topology('x', chips, triangle), 100);
    expect(text.split('\n\n')[1]).toMatch(/^\| Links/);
    expect(text).toContain('chip 3 → nobody');
  });

  it('says when everyone is linked to everyone', () => {
    const pairs = [
      [0, 1],
      [0, 2],
      [0, 3],
      [1, 2],
      [1, 3],
      [2, 3],
    ] as const;
    expect(drawing(duplex('full:4', 4, pairs))).toBe('every chip is linked to every other');
  });

  it('draws nothing where nothing is natural', () => {
    const cube = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((a) =>
      [1, 2, 4].flatMap((bit) => (a < (a ^ bit) ? [[a, a ^ bit] as const] : [])),
    );
    const twoRings = [...ring(3), ...ring(3).map(([a, b]) => [a + 3, b + 3] as const)];
    const diagonal = [...grid(3, 3), [1, 3] as const];
    const chord = [...grid(3, 3), [0, 8] as const];
    for (const pairs of [cube, twoRings, diagonal, chord]) {
      const chips = Math.max(...pairs.flat()) + 1;
      expect(drawing(duplex('x', chips, pairs))).toMatch(/^\| Links/);
    }
  });

  it('finds every mesh again after its chips have been renumbered', () => {
    const shapes = fc.record({ rows: fc.integer({ min: 2, max: 5 }), columns: fc.integer({ min: 3, max: 5 }) });
    fc.assert(
      fc.property(shapes, fc.infiniteStream(fc.nat(1000)), ({ rows, columns }, keys) => {
        const chips = rows * columns;
        const order = Array.from({ length: chips }, (_, rank) => ({ rank, key: keys.next().value as number }))
          .sort((a, b) => a.key - b.key || a.rank - b.rank)
          .map(({ rank }) => rank);
        const pairs = grid(rows, columns).map(([a, b]) => [order[a], order[b]] as const);
        const lines = drawing(duplex('x', chips, pairs), 200).split('\n');
        // Either way up: as many lines of chips as there are rows or columns, and every link between neighbours drawn.
        const links = lines.join('').match(/─+|│/g) ?? [];
        expect([2 * rows - 1, 2 * columns - 1]).toContain(lines.length);
        expect(lines.join('').match(/chip/g)).toHaveLength(chips);
        expect(links).toHaveLength(pairs.length);
      }),
      drawn(100),
    );
  });
});
