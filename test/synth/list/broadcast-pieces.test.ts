/** Into how many pieces broadcasts are cut, where their number decides how many steps there are. */
import { describe, expect, it } from 'vitest';
import { candidatesOn, provedSeconds } from './support.ts';

/** α and M/β of the shipped rings and grids for 1 MiB. */
const [latency, bytes] = [1e-6, 2 ** 20 / 1e10];

function broadcastSeconds(machine: string, chunks?: number): number {
  const found = candidatesOn(machine, { kind: 'broadcast', chunks });
  return Math.min(...found.map(({ build }) => provedSeconds(build(1), machine, 2 ** 20)));
}

describe('pieces of broadcasts in steps', () => {
  // Over d links and h links to the farthest rank, the multiple of d next to √((h − 1)·d·M/αβ) is least where rounds come as near as they might.
  const usual = (links: number, farthest: number): number =>
    Math.round(Math.sqrt(((farthest - 1) * links * bytes) / latency) / links) * links;

  it.each([
    ['ring:16', 2, 8],
    ['torus:4x4', 4, 4],
    ['mesh:4x4', 2, 6],
  ])('are as many as fill the links of %s, which take h − 1 + C/d rounds', (machine, links, farthest) => {
    const pieces = usual(links, farthest);
    const rounds = farthest - 1 + pieces / links;
    expect(broadcastSeconds(machine)).toBeCloseTo(rounds * (latency + bytes / pieces), 12);
  });
});

describe('pieces of broadcasts in continuous time', () => {
  // A link of dgx2 carries 1 KiB in far less than a latency: a second piece takes longer than it saves.
  it('are one where every link carries the message sooner than a message arrives', () => {
    const [short, long] = [2 ** 10, 2 ** 24].map((size) => {
      const found = candidatesOn('dgx2:2', { kind: 'broadcast', size, effort: 'quick' });
      return found.find(({ name }) => name.includes('events'))?.build(1).collective.chunks;
    });
    expect(short).toBe(1);
    expect(long).toBeGreaterThan(1);
  });
});
