/** `ccc diff`: two machines, or two plans. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../in-process.ts';
import { fileWith } from '../run.ts';

const compiled = async (...args: string[]): Promise<string> =>
  fileWith((await inProcess(['compile', ...args])).stdout, 'plan.json');

describe('two machines', () => {
  it('are told by what one has and the other has not', async () => {
    // Eight chips in a circle have 8 links, in two rows of four 4 + 6: those from row to row are new, those at the turns gone.
    const { stdout } = await inProcess(['diff', 'ring:8', 'mesh:2x4']);
    expect(stdout).toMatch(/^links +16 +20 +\+25 %$/m);
    const links = (change: string) => stdout.split('\n').filter((line) => line.endsWith(change)).length;
    expect([links('gone'), links('new')]).toEqual([4, 8]);
    expect(stdout).toMatch(/^chip 7 → chip 0 .* gone$/m);
    expect(stdout).toMatch(/^chip 2 → chip 6 .* new$/m);
  });

  it('may be the same', async () => {
    const { stdout } = await inProcess(['diff', 'ring:4', 'ring:4']);
    expect(stdout).not.toMatch(/gone|new|other$/m);
  });
});

describe('two plans', async () => {
  const whole = await compiled('allgather', '--topo', 'ring:4', '--size', '4MB', '--algorithm', 'ring', '--bulks', '1');
  const broken = await compiled(
    ...['allgather', '--topo', 'ring:4', '--without', 'link:0-1', '--size', '4MB', '--algorithm', 'ring'],
    ...['--bulks', '1'],
  );

  it('have times, also on a machine that lost a link, and what their links carry', async () => {
    const { stdout } = await inProcess(['diff', whole, broken]);
    expect(stdout).toMatch(/^machine +ring:4 +ring:4 --without link:0-1 +other$/m);
    expect(stdout).toMatch(/^simulated time +.* times$|^simulated time .* \+\d+ %$/m);
    expect(stdout).toMatch(/^certified bound +\d.* \d/m);
    expect(stdout).toMatch(/^chip 0 → chip 1 .* gone$/m);
    const { stdout: json } = await inProcess(['diff', whole, broken, '--json']);
    expect(JSON.parse(json)).toMatchObject({ ok: true, plan: expect.any(Array), links: expect.any(Array) });
  });

  it('have no certified bound where what the document claims does not hold', async () => {
    const document = JSON.parse(readFileSync(whole, 'utf8'));
    document.bound.certificate.seconds *= 2;
    const forged = fileWith(JSON.stringify(document), 'forged.json');
    expect((await inProcess(['diff', whole, forged])).stdout).toMatch(/^certified bound +\d.* not known$/m);
  });

  it('are compared for a size and machine that are given', async () => {
    const { stdout } = await inProcess(['diff', whole, whole, '--topo', 'full:4', '--size', '1kB']);
    expect(stdout).toMatch(/^machine +full:4 +full:4$/m);
    expect(stdout).toMatch(/^size +1000 B +1000 B$/m);
    expect(stdout).not.toContain('\nlinks\n');
  });

  it('are of a kind, and plans', async () => {
    const cases = [
      [['diff', whole, 'ring:4'], 'two of a kind'],
      [['diff', '-', '-'], 'standard input'],
      [['diff', new URL('../../../schedules/ring-allgather.yaml', import.meta.url).pathname, whole], 'ccc convert'],
      [['diff', 'rong:4', 'ring:4'], 'ring'],
    ] as const;
    for (const [args, words] of cases) {
      const { status, stdout, stderr } = await inProcess(args);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toContain(words);
    }
  });
});
