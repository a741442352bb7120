/** `ccc show`, `ccc list` and `ccc bound` as commands; what is drawn is tested in `show/`. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inProcess } from '../in-process.ts';
import { fileWith } from '../run.ts';

const root = new URL('../../../', import.meta.url).pathname;
const shipped = (folder: string): string[] => readdirSync(root + folder).map((file) => file.replace(/\.yaml$/, ''));

describe('ccc show', () => {
  it('prints the ring allgather as the textbook does', async () => {
    const { stdout } = await inProcess(['show', 'ring-allgather', '--ranks', '4']);
    for (const row of [
      '| Initial | [A]       | [B]       | [C]       | [D]       |',
      '| Step 1  | [A,D]     | [B,A]     | [C,B]     | [D,C]     |',
      '| Step 2  | [A,D,C]   | [B,A,D]   | [C,B,A]   | [D,C,B]   |',
      '| Step 3  | [A,D,C,B] | [B,A,D,C] | [C,B,A,D] | [D,C,B,A] |',
    ])
      expect(stdout.split('\n')).toContain(row);
  });

  it('prints the pairs of recursive doubling and the trace of the binomial tree', async () => {
    const pairs = (await inProcess(['show', 'recursive-doubling-allgather', '--ranks', '8'])).stdout;
    for (const step of ['(0,1)(2,3)(4,5)(6,7)', '(0,2)(1,3)(4,6)(5,7)', '(0,4)(1,5)(2,6)(3,7)'])
      expect(pairs).toContain(step);
    const tree = (await inProcess(['show', 'binomial-reduce', '--ranks', '8'])).stdout;
    expect(tree).toMatch(/ 1→0, 3→2, 5→4, 7→6 .* 2→0, 6→4 .* 4→0 /s);
  });

  it('reads standard input once, whatever it is', async () => {
    const topology = readFileSync(`${root}topologies/sg2260x4.yaml`);
    const schedule = readFileSync(`${root}schedules/ring-allgather.yaml`);
    const plan = (await inProcess(['compile', 'allgather', '--topo', 'ring:3'])).stdout;
    expect((await inProcess(['show', '-'], topology)).stdout).toContain('4 chips, 8 directed links');
    expect((await inProcess(['show', '-'], schedule)).stdout).toMatch(/^ring-allgather: allgather on 4 nodes/);
    expect((await inProcess(['show', '-'], plan)).stdout).toMatch(/\nrank 2: /);
  });

  it('prints the whole recipe of a plan below its short name, and nothing for plans without one', async () => {
    const levels = ['compile', 'reduce', '--topo', 'sg2260x4', '--engine', 'levels', '--size', '1MiB'];
    const plan = JSON.parse((await inProcess(levels)).stdout);
    const shown = async (): Promise<string> => (await inProcess(['show', '-'], JSON.stringify(plan))).stdout;
    const [heading, recipe] = (await shown()).split('\n\n')[0].split(/\n(?=recipe: )/);
    expect(heading).toMatch(/^reduce-sg2260x4-levels: reduce on 4 ranks/);
    expect(recipe.replaceAll(/\n */g, ' ')).toBe(`recipe: ${plan.origin.recipe}`);
    delete plan.origin.recipe;
    plan.name = 'levels-2x2-1-scattered-routed-gather-even-ways-along-sg2260x4-sized';
    expect(await shown()).toMatch(
      /^levels-2x2-1-scattered-routed-gather-even-ways-along-sg2260x4-sized: [^\n]+\n\nrank 0/,
    );
  });

  it('shows a plan at each of its levels', async () => {
    const plan = (await inProcess(['compile', 'allgather', '--topo', 'sg2260x4'])).stdout;
    const level = async (name: string, ...more: string[]) =>
      await inProcess(['show', '-', '--level', name, ...more], plan);
    expect((await level('definition')).stdout).toContain('| 2    | [C] | [A, B, C, D] |');
    expect((await level('overlay')).stdout).toContain('8 edges, 16 messages, 3M in total');
    expect((await level('underlay', '--topo', 'sg2260x4')).stdout).toContain('stretch 1 ');
    const stated = (await level('underlay')).stdout.replace('; size, dtype and topology', '; dtype');
    expect(stated).toBe((await level('underlay', '--topo', 'sg2260x4', '--size', '64MiB')).stdout);
    const homeless = (await inProcess(['convert', 'ring-allgather', '--ranks', '4'])).stdout;
    expect(await inProcess(['show', '-', '--level', 'underlay'], homeless)).toMatchObject({ status: 2, stdout: '' });
  });

  it('says what a plan takes, for the size and on the machine that it states', async () => {
    // A chain of three: the message crosses two links of 1 GB/s, whole: 2 (1 µs + 3 ms).
    const link = ['--link', '1us,1GB/s'];
    const chain = ['compile', 'broadcast', '--algorithm', 'chain', '--bulks', '1', '--chunks', '1', '--size', '3MB'];
    const plan = (await inProcess([...chain, '--topo', 'line:3'])).stdout;
    expect((await inProcess(['show', '-'], plan)).stdout).toMatch(
      /\ntakes .* for 2\.861 MiB of f32 on line:3 \(simulated; size, dtype and topology from the plan\)\n$/,
    );
    const here = (await inProcess(['show', '-', '--topo', 'line:3', ...link], plan)).stdout;
    expect(here).toMatch(/\ntakes 6\.002 ms for 2\.861 MiB .*; size and dtype from the plan\)\n$/);
    const other = (await inProcess(['show', '-', '--topo', 'line:3', ...link, '--size', '1kB'], plan)).stdout;
    expect(other).toMatch(/\ntakes 4 µs for 1000 B .*; dtype from the plan\)\n$/);
  });

  it('says why it simulates no time for a wrong plan', async () => {
    const plan = (await inProcess(['compile', 'allgather', '--topo', 'ring:3', '--algorithm', 'ring'])).stdout;
    const { status, stdout } = await inProcess(['show', '-'], plan.replace(/"send", "peer": 1/, '"send", "peer": 2'));
    expect(status).toBe(0);
    expect(stdout).toMatch(/\nno time is simulated: the plan is not correct on ring:3: /);
  });

  it('shows the steps of a plan, which no file has', async () => {
    // Rank r sends its shard both ways; what is missing then, the one opposite, comes in halves: M/8 of 8 chunks.
    const { stdout } = await inProcess(
      ['show', '-', '--level', 'steps'],
      (await inProcess(['compile', 'allgather', '--topo', 'sg2260x4'])).stdout,
    );
    expect(stdout).toMatch(/^\| 1 .* local at all .* M\/4 +\|$/m);
    expect(stdout).toMatch(/^\| 2 .* 0→1, .* M\/4 .* 3M\/4 +\|$/m);
    expect(stdout).toMatch(/^\| 3 .* 0→1, .* M\/8 .* M +\|$/m);
    expect(stdout).toMatch(/^\| Step 3 .* \[C,B,D,A\] /m);
  });

  it('shows what reductions of a plan have summed up where, once for all bulks', async () => {
    const request = ['compile', 'reduce', '--topo', 'line:3', '--bulks', '4', '--algorithm', 'chain'];
    const { stdout } = await inProcess(['show', '-', '--level', 'steps'], (await inProcess(request)).stdout);
    expect(stdout).toMatch(/^each of 4 bulks, /);
    expect(stdout).toContain('| Step 3  | output 0  | Σa*');
  });

  it('draws no states of plans whose input and output share memory: they are what the run keeps apart', async () => {
    const plan = (await inProcess(['compile', 'alltoall', '--topo', 'ring:3', '--in-place'])).stdout;
    const { status, stdout } = await inProcess(['show', '-', '--level', 'steps'], plan);
    expect(status).toBe(0);
    expect(stdout).toContain('(States are not drawn where input and output share memory.)');
    expect(stdout).not.toContain('Initial');
  });

  it('shows an MSCCL algorithm as the plan that it is', async () => {
    const request = ['compile', 'allgather', '--topo', 'ring:3', '--algorithm', 'ring', '--emit', 'msccl-xml'];
    const path = fileWith((await inProcess(request)).stdout, 'algorithm.xml');
    expect((await inProcess(['show', path])).stdout).toMatch(/\nrank 2: /);
    expect((await inProcess(['show', path, '--level', 'steps'])).stdout).toMatch(/ \[C,B,A\] +\|$/m);
  });

  it('says what a file says about itself', async () => {
    const tree = (await inProcess(['show', 'tree:3'])).stdout;
    expect(tree).toMatch(
      /^tree:3: .*\nabout: N chips in a binary tree.*\n(.*\n)?source: Grama et al\..*\n(.*\n)*parameters: chipCount \(number of chips\)\n/,
    );
    expect((await inProcess(['show', 'ring-allgather'])).stdout).toMatch(
      /^ring-allgather: .*\nabout: .*\n(.*\n)?source: Thakur/,
    );
  });

  it('knows the nearest names of schedules and topologies', async () => {
    expect((await inProcess(['show', 'ring-allgahter'])).stderr).toContain('ring-allgather');
    expect((await inProcess(['show', 'sg2260'])).stderr).toContain('sg2260x4');
  });
});

describe('ccc list', () => {
  it('names everything that is shipped', async () => {
    const { status, stdout } = await inProcess(['list', '--json']);
    const document = JSON.parse(stdout);
    const names = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name).sort();
    expect(status).toBe(0);
    expect(names(document.topologies)).toEqual(shipped('topologies').sort());
    expect(names(document.schedules)).toEqual(shipped('schedules').sort());
    expect(names(document.collectives)).toContain('reducescatter');
    expect(names(document.engines)).toContain('library');
    expect(names(document.emitters)).toContain('json');
  });

  it('prints one list as lines that start with names', async () => {
    const lines = (await inProcess(['list', 'topologies'])).stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split(' ')[0]).sort()).toEqual(shipped('topologies').sort());
  });
});

describe('ccc bound', () => {
  it('is that of the latency and the tightest cut', async () => {
    // Allgather on 4 chips: each must get 3M/4 over two links, and the opposite chip is 2α away.
    const bound = async (size: string) =>
      JSON.parse((await inProcess(['bound', 'allgather', '--topo', 'sg2260x4', '--size', size, '--json'])).stdout);
    expect((await bound('0')).seconds).toBeCloseTo(2 * 0.55e-6, 12);
    const large = (await bound('64GiB')).seconds / ((3 * 2 ** 36) / (8 * 64e9));
    expect(large).toBeGreaterThanOrEqual(1);
    expect(large).toBeLessThan(1.0001);
    expect(await bound('1MiB')).toMatchObject({
      ok: true,
      collective: 'allgather',
      topology: 'sg2260x4',
      size: 2 ** 20,
    });
  });

  it('is told in words', async () => {
    const { status, stdout, stderr } = await inProcess([
      'bound',
      'broadcast',
      '--topo',
      'ring:8',
      '--size',
      '1MiB',
      '--root',
      '2',
    ]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^certified bound: no broadcast of 1 MiB on ring:8 takes less than /);
  });
});
