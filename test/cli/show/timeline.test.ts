/** A run drawn over time: whose lane is busy when follows from the model by hand. */
import { describe, expect, it } from 'vitest';
import { inProcess } from '../in-process.ts';
import { fileWith } from '../run.ts';

/** A message over two links of a line, each for the same time: the first half of the run on one, the second on the other. */
const chain = (
  await inProcess([
    ...['compile', 'broadcast', '--topo', 'line:3', '--algorithm', 'chain', '--bulks', '1', '--chunks', '1'],
    ...['--size', '1MB'],
  ])
).stdout;
const path = fileWith(chain, 'chain.json');

describe('ccc show --level timeline', () => {
  it('marks the critical path from link to link', async () => {
    const { stdout } = await inProcess(['show', path, '--level', 'timeline']);
    const lane = (name: string): string =>
      stdout
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.slice(name.length + 1) ?? '';
    const [first, second] = [lane('chip 0 → chip 1'), lane('chip 1 → chip 2')];
    expect(first.length).toBe(84);
    expect(first).toBe('█'.repeat(42) + '·'.repeat(42));
    expect(second).toBe('·'.repeat(42) + '█'.repeat(42));
    expect(stdout).not.toContain('chip 2 → chip 1 ');
    expect(stdout).toContain('; 2 links of 4 not used');
  });

  it('has lanes of ranks: the middle one receives, then sends', async () => {
    const { stdout } = await inProcess(['show', path, '--level', 'timeline', '--lanes', 'ranks']);
    const lanes = stdout.split('\n').filter((line) => line.startsWith('rank '));
    // 93 cells: the middle one belongs to both halves.
    expect(lanes.map((line) => line.slice('rank 0 '.length))).toEqual([
      '█'.repeat(47) + '·'.repeat(46),
      '█'.repeat(93),
      '·'.repeat(46) + '█'.repeat(47),
    ]);
  });

  it('says how busy each link is, the busiest first', async () => {
    const { stdout } = await inProcess(['show', path, '--level', 'links']);
    const rows = stdout.split('\n').filter((line) => line.includes(' → '));
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row).toMatch(/\| 976\.6 KiB \|.* 50 % \|$/);
  });

  it('needs a machine', async () => {
    const homeless = (await inProcess(['convert', 'ring-allgather', '--ranks', '4'])).stdout;
    const { status, stderr } = await inProcess(['show', fileWith(homeless, 'p.json'), '--level', 'timeline']);
    expect(status).toBe(2);
    expect(stderr).toContain('--topo');
  });
});
