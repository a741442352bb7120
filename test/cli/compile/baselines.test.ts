/** Where NCCL would be faster than the plan that was asked for, `--explain` and `ccc tune` say so. */
import { describe, expect, it } from 'vitest';
import { inProcess } from '../in-process.ts';

/** A root takes in what all others have, on a ring whose links could all be used. */
const slow = ['allreduce', '--topo', 'ring:4', '--algorithm', 'reduce-broadcast-allreduce'];

describe('what NCCL would do', () => {
  it('is faster than a plan of another algorithm, and --explain says so', async () => {
    const { stderr } = await inProcess(['compile', ...slow, '--size', '64MiB', '--explain', '-o', '/dev/null']);
    const [, times] = /nccl-ring: .*, (0\.\d+) times as long as the plan:\s+NCCL would be\s+faster/.exec(stderr) ?? [];
    expect(Number(times)).toBeLessThan(0.6);
  });

  it('is no faster than the best plan, and nothing is said then', async () => {
    const { stderr } = await inProcess([
      'compile',
      ...slow.slice(0, 3),
      '--size',
      '64MiB',
      '--explain',
      '-o',
      '/dev/null',
    ]);
    expect(stderr).toMatch(/nccl-ring: .* [1-9]\d*\.\d\d times as long as the\s+plan,/);
    expect(stderr).not.toContain('would be');
  });

  it('is faster at the sizes that ccc tune names', async () => {
    // The library's rings go round once; NCCL's go round in six channels.
    const asked = ['tune', 'allreduce', '--topo', 'dgx1', '--engine', 'library'];
    const { stdout } = await inProcess([...asked, '--sizes', '32MiB..64MiB', '--points', '2']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /NCCL's rings and trees is faster than the tuned plan at 2 of 2 sizes, most at \d\d MiB, where nccl-ring takes 0\.\d\d times as long/,
    );
  });
});
