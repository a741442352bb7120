/** What is wrong with a schedule is said in its own words: its transfers, the values of its loops, its chunks. */
import { describe, expect, it } from 'vitest';
import { inProcess } from '../in-process.ts';
import { fileWith } from '../run.ts';

const head = (collective: string, more = ''): string =>
  `format: ccc-schedule\nversion: 1\nname: my-own\ncollective: ${collective}\n${more}`;

/** In every step rank 0 and the rank before give rank r + 1 the message. */
const twice = `${head('broadcast', 'ranks: N >= 3\n')}steps:
  - step:
      - { copy: 0 -> 1, what: chunk 0 }
  - for: s in 1 .. N-2
    step:
      - for: r in 1 .. N-2
        copy: r -> r + 1
        what: chunk 0
      - for: r in 1 .. N-2
        copy: 0 -> r + 1
        what: chunk 0
`;

/** A ring allgather that goes on sending the same shard. */
const stuck = `${head('allgather')}steps:
  - for: s in 1 .. N-1
    step:
      - for: r in ranks
        copy: r -> (r + 1) % N
        what: shard r
`;

const ring = (condition: string): string => `${head('allgather', condition)}steps:
  - for: s in 1 .. N-1
    step:
      - for: r in ranks
        copy: r -> (r + 1) % N
        what: shard (r + 1 - s) % N
`;

const verify = (text: string, ...options: string[]) => inProcess(['verify', fileWith(text, 'mine.yaml'), ...options]);

describe('a schedule that is wrong', () => {
  it('has a race told as two transfers of a step, with the values of their loops', async () => {
    const { status, stdout } = await verify(twice, '--ranks', '3');
    expect(status).toBe(1);
    expect(stdout).toContain(
      'in step 2 `copy: r -> r + 1` with s = 1, r = 1 and `copy: 0 -> r + 1` with s = 1, r = 1 both write chunk 0 of rank 2',
    );
    expect(stdout).toContain('write the one that is to come last in a later step');
    expect(stdout).not.toContain('"after"');
  });

  it('keeps to plans the words of plans', async () => {
    const { stdout } = await inProcess(['show', fileWith(twice, 'mine.yaml'), '--ranks', '3', '--level', 'programs']);
    expect(stdout).toContain('rank 2: ');
    const { stdout: json } = await verify(twice, '--ranks', '3', '--json');
    expect(JSON.parse(json).findings[0].story[0]).toMatchObject({ loops: 's = 1, r = 1', rank: 2, step: 2 });
  });

  it('has one block for what is alike, and a count', async () => {
    // Of 4 · 4 slots each rank has its own shard and its neighbour's: 8 are empty, of which one is told.
    const { stdout } = await verify(stuck, '--ranks', '4');
    expect(stdout.match(/should hold/g)).toHaveLength(1);
    expect(stdout).toContain('No transfer brings anything there.');
    expect(stdout).toMatch(/\nand 7 more of the same kind\n$/);
  });
});

describe('the ranks of a schedule', () => {
  it('may be told with its parameters', async () => {
    const text = ring('parameters: { w: { default: 4 } }\nranks: N % w == 0\n');
    const { stdout, stderr } = await verify(text, '--ranks', '4..9');
    expect(stdout).toContain('verified for N = 4, 8\n');
    expect(stderr).toContain('not verified for N = 5 … 7, 9: works only where N % w == 0');
    expect((await verify(text, '--ranks', '4..9', '--set', 'w=3')).stdout).toContain('verified for N = 6, 9\n');
  });

  it('are left out and told where the file does not claim them, 1 rank with the others', async () => {
    const { status, stderr } = await verify(ring('ranks: N >= 3\n'), '--ranks', '1..4');
    expect(status).toBe(0);
    expect(stderr).toBe('not verified for N = 1, 2: works only where N >= 3, not for 1 rank\n');
  });

  it('should say for which numbers nothing can be made', async () => {
    const { status, stderr } = await verify(ring('').replace('steps:', 'chunks: N / 2\nsteps:'), '--ranks', '4..7');
    expect(status).toBe(2);
    expect(stderr).toContain("for N = 5; if the schedule is not for so many ranks, let its 'ranks' say so");
  });
});
