import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../../temporary.ts';
import { inProcess } from '../in-process.ts';

const folder = emptyFolder();

describe('ccc pareto', () => {
  it('prints the points as a document', async () => {
    const { status, stdout } = await inProcess(['pareto', 'allgather', '--topo', 'sg2260x4', '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      points: [
        { chunks: 1, steps: 2, rounds: 2, status: 'feasible' },
        { chunks: 2, steps: 2, rounds: 3, status: 'feasible' },
      ],
      complete: true,
    });
  });

  it('prints a table, and draws', async () => {
    const file = join(folder, 'frontier.svg');
    const { status, stdout } = await inProcess(['pareto', 'allgather', '--topo', 'ring:4', '-o', file]);
    expect(status).toBe(0);
    expect(stdout).toContain('Everything below these points is proved impossible.');
    expect(readFileSync(file, 'utf8')).toMatch(/^<svg [^>]*>[\s\S]*\(2, 2, 3\)[\s\S]*<\/svg>\n$/);
  });

  it('names the limit that ended it, and keeps the points before', async () => {
    // Four ranks hold 1 + 4 chunks each for C = 1, and their operations touch as many; for C = 2 twice that.
    for (const [slots, kept] of [
      [1, 0],
      [60, 1],
    ]) {
      const args = ['pareto', 'allgather', '--topo', 'ring:4', '--limit', `slots=${slots}`, '--json'];
      const { status, stdout, stderr } = await inProcess(args);
      expect(status).toBe(3);
      expect(stderr).toContain('--limit slots=');
      const document = JSON.parse(stdout);
      expect(document).toMatchObject({ stoppedEarly: true, complete: false, limit: expect.stringContaining('slots') });
      expect(document.points).toHaveLength(kept);
    }
  });

  it.each([
    [['pareto', 'scan', '--topo', 'ring:4'], 1, 'there is no scan in moves'],
    [['pareto', 'allgather', '--topo', 'ring:4', '-o', 'x.png'], 2, 'ends in .svg'],
    [['pareto', 'allgather', '--topo', 'ring:4', '--solver', 'cplex'], 2, "'cplex' is no solver"],
    [['pareto', 'allgather', '--topo', 'ring:4', '--dump-model', 'x.txt'], 2, '.lp or .mps'],
  ])('%j ends with %d', async (args, exit, message) => {
    const { status, stderr } = await inProcess(args);
    expect(status).toBe(exit);
    expect(stderr).toContain(message);
  });
});

describe('ccc compile --engine exact', () => {
  const shape = (chunks: number, steps: number, rounds: number): string[] => [
    ...['compile', 'allgather', '--topo', 'dgx1', '--engine', 'exact', '--chunks', String(chunks)],
    ...['--set', `steps=${steps}`, '--set', `rounds=${rounds}`, '-o', join(folder, 'plan.json')],
  ];

  it('makes the plan of a shape', async () => {
    expect((await inProcess(shape(6, 3, 7))).status).toBe(0);
    const plan = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8'));
    expect(plan).toMatchObject({ collective: { kind: 'allgather', chunks: 6 }, origin: { engine: 'exact' } });
  });

  it.each(['highs', 'glpk'])('says what %s has proved to be impossible, and writes the model', async (solver) => {
    const file = join(folder, `${solver}.lp`);
    const { status, stderr } = await inProcess([...shape(3, 2, 4), '--solver', solver, '--dump-model', file]);
    expect(status).toBe(1);
    expect(stderr).toContain('impossible');
    expect(readFileSync(file, 'utf8')).toMatch(/^\\ written by ccc\nMinimize\n[\s\S]*\nEnd\n$/);
  });
});
