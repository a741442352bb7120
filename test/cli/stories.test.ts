/** What `ccc verify` tells about a mistake: who did what to which slot, where it was written, and what would mend it. */
import { describe, expect, it } from 'vitest';
import { inProcess } from './in-process.ts';

const schedule = (collective: string, ranks: number, steps: string): string =>
  `format: ccc-schedule\nversion: 1\nname: my-${collective}\ncollective: ${collective}\nranks: ${ranks}\nsteps:\n${steps}`;

describe('the story of', () => {
  it('a race: both writers with their lines, and what to write instead', async () => {
    const steps =
      '  - step:\n      - { copy: 0 -> 1, what: all }\n  - step:\n      - { copy: 0 -> 2, what: all }\n      - { copy: 1 -> 2, what: all }\n';
    const { status, stdout } = await inProcess(['verify', '-'], schedule('broadcast', 3, steps));
    expect(status).toBe(1);
    expect(stdout).toMatch(/^race: /);
    expect(stdout).toContain('leave one of them out, or write the one that is to come last in a later step.');
    expect(stdout).toContain('recv output[0] from rank 0');
    expect(stdout).toContain('recv output[0] from rank 1');
    expect(stdout).toContain('(step 2, <stdin>:10:11)');
    expect(stdout).toContain('(step 2, <stdin>:11:11)');
  });

  it('a doubled contribution: which ones, and every operation on the way', async () => {
    const steps =
      '  - for: k in 0 .. 1\n    step:\n      - for: r in ranks\n        reduce: r -> (r + 2 ** k) % N\n        what: all\n' +
      '  - step:\n      - { reduce: 0 -> 1, what: all }\n';
    const { status, stdout } = await inProcess(['verify', '-'], schedule('allreduce', 4, steps));
    expect(status).toBe(1);
    expect(stdout).toMatch(/^wrong-result: /);
    expect(stdout).toContain('output[0] of rank 1 should hold in[0][0] ⊕ in[1][0] ⊕ in[2][0] ⊕ in[3][0]');
    expect(stdout).toContain('more than once: in[0][0], in[1][0], in[2][0], in[3][0]');
    expect(stdout).toContain('recvReduce into output[0] from rank 3');
    expect(stdout).toContain('(step 3, <stdin>:13:11)');
  });

  it('a missing contribution', async () => {
    const steps = '  - step:\n      - { reduce: 1 -> 0, what: all }\n';
    const { stdout } = await inProcess(['verify', '-'], schedule('reduce', 3, steps));
    expect(stdout).toMatch(/^wrong-result: /);
    expect(stdout).toContain('missing: in[2][0]');
  });

  it('a deadlock: the circle, and how much buffering ends it', async () => {
    const program = (rank: number): string => {
      const [own, other] = [rank, 1 - rank];
      return `{ "rank": ${rank}, "buffers": { "input": 2, "output": 2, "scratch": 0 }, "lanes": [ { "id": 0, "ops": [
        { "op": "copy", "src": ["input", ${own}, 1], "dst": ["output", ${own}, 1], "step": 0 },
        { "op": "send", "peer": ${other}, "channel": 0, "src": ["input", ${other}, 1], "step": 1 },
        { "op": "recv", "peer": ${other}, "channel": 0, "dst": ["output", ${other}, 1], "step": 1 } ] } ] }`;
    };
    const collective = '{ "kind": "alltoall", "ranks": 2, "chunks": 1, "root": 0, "op": "sum", "inPlace": false }';
    const head = `{ "format": "ccc-plan", "version": 1, "name": "swap", "collective": ${collective}, "bulks": 1,`;
    const plan = `${head} "programs": [ ${program(0)}, ${program(1)} ] }`;
    const { status, stdout } = await inProcess(['verify', '-', '--inflight', '0'], plan);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^deadlock: /);
    expect(stdout).toContain('It disappears when a connection buffers 1 transfer.');
    expect(stdout).toContain('rank 0 lane 0 op 1: send input[1] to rank 1');
    expect(stdout).toContain('rank 1 lane 0 op 1: send input[0] to rank 0');
    expect((await inProcess(['verify', '-', '--inflight', '1'], plan)).status).toBe(0);
  });
});
