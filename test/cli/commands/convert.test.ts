/** `ccc convert`: what others wrote becomes a proved plan, or is refused with its place. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { algo, exchange, gpu, step, tb } from '../../read/msccl-text.ts';
import { emptyFolder } from '../../temporary.ts';
import { inProcess } from '../in-process.ts';
import { fileWith } from '../run.ts';

const schedule = `format: ccc-schedule
version: 1
name: mine-allgather
collective: allgather
ranks: 2
steps:
  - step:
      - copy: 0 -> 1
        what: shard 0
      - copy: 1 -> 0
        what: shard 1
`;

describe('ccc convert', () => {
  it('makes a plan of an MSCCL algorithm, which verifies', async () => {
    const folder = emptyFolder();
    const path = fileWith(exchange, 'exchange.xml');
    const outcome = await inProcess(['convert', path, '-o', 'plan.json'], '', folder);
    expect(outcome).toMatchObject({ status: 0, stdout: '' });
    const plan = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8'));
    expect(plan).toMatchObject({ format: 'ccc-plan', version: 1, name: 'mine', origin: { format: 'msccl-xml' } });
    expect(plan.collective).toMatchObject({ kind: 'allreduce', ranks: 2, chunks: 1, inPlace: true });
    const kinds = plan.programs.map(({ lanes }: { lanes: { ops: { op: string }[] }[] }) =>
      lanes[0].ops.map(({ op }) => op),
    );
    expect(kinds).toEqual([
      ['send', 'recv'],
      ['recvReduce', 'send'],
    ]);
    expect(await inProcess(['verify', 'plan.json'], '', folder)).toMatchObject({ status: 0 });
  });

  it('states the time of what others wrote, and keeps what a plan says', async () => {
    // The whole vector there, is added (20 µs), and comes back: 2 (1 µs + 1 ms) + 20 µs.
    const machine = ['--topo', 'ring:2', '--link', '1us,1GB/s', '--gamma', '50GB/s'];
    const asked = await inProcess(['convert', fileWith(exchange, 'exchange.xml'), ...machine, '--size', '1MB']);
    expect(JSON.parse(asked.stdout)).toMatchObject({ size: 1e6, cost: { seconds: expect.closeTo(0.002022, 12) } });
    expect(asked.stderr).toMatch(/^the plan takes 2\.022 ms for 976\.6 KiB on ring:2.* \(simulated\)\n$/m);
    const stated = (await inProcess(['verify', fileWith(exchange, 'exchange.xml'), ...machine, '--size', '1MB']))
      .stdout;
    expect(stated).toMatch(/ {2}time: the plan takes 2\.022 ms /);
    const assumed = await inProcess(['convert', fileWith(exchange, 'exchange.xml'), ...machine]);
    expect(JSON.parse(assumed.stdout).size).toBe(2 ** 26);
    expect(assumed.stderr).toContain('the size is assumed');
    const compiled = (await inProcess(['compile', 'allreduce', '--topo', 'ring:3', '--size', '3000', '--dtype', 'i32']))
      .stdout;
    const { size, dtype, topology, cost } = JSON.parse(compiled);
    expect(JSON.parse((await inProcess(['convert', '-'], compiled)).stdout)).toMatchObject({
      size,
      dtype,
      topology,
      cost,
    });
  });

  it('gives the same bytes for a plan of its own', async () => {
    const once = await inProcess(['convert', '-', '--topo', 'ring:2'], schedule);
    expect(once.status).toBe(0);
    const twice = await inProcess(
      ['convert', '-', '--topo', 'ring:2'],
      once.stdout.replace('"ccc-schedule"', '"ccc-plan"'),
    );
    expect(twice.stdout).toBe(once.stdout.replace('"ccc-schedule"', '"ccc-plan"'));
  });

  it('takes the number of ranks of a schedule from the file, --ranks or --topo', async () => {
    const ranks = async (args: readonly string[], text: string): Promise<unknown> =>
      JSON.parse((await inProcess(['convert', '-', ...args], text)).stdout).collective.ranks;
    expect(await ranks([], schedule)).toBe(2);
    const any = readFileSync(new URL('../../../schedules/ring-allgather.yaml', import.meta.url), 'utf8');
    expect(await ranks(['--ranks', '3'], any)).toBe(3);
    expect(await ranks(['--topo', 'ring:5'], any)).toBe(5);
    expect(await inProcess(['convert', '-'], any)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--ranks'),
    });
    expect(await inProcess(['convert', '-', '--ranks', '3', '--topo', 'ring:3'], any)).toMatchObject({ status: 2 });
    expect(await inProcess(['convert', '-', '--ranks', '3'], schedule)).toMatchObject({ status: 2 });
  });

  it('refuses what is wrong, with its line, and writes nothing', async () => {
    const folder = emptyFolder();
    const wrong = exchange.replace('type="rrcs"', 'type="rcs"');
    const outcome = await inProcess(['convert', '-', '-o', 'plan.json'], wrong, folder);
    expect(outcome).toMatchObject({ status: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/^<stdin>:\d+:1: wrong-result: /);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses waits that nobody ends', async () => {
    const waiting = algo(
      'allreduce',
      {},
      gpu(0, [1, 1, 0], tb(0, -1, -1, 0, step('cpy')), tb(1, -1, -1, 0, step('nop', { wait: [0, 0] }))),
    );
    const outcome = await inProcess(['convert', '-'], waiting);
    expect(outcome.status).toBe(1);
    expect(outcome.stderr).toContain('<stdin>:7:1: deadlock: ');
  });

  it('accepts sums that differ in their last bits', async () => {
    // Rank r makes (r ⊕ r + 1) ⊕ r + 2, counted modulo 3: every rank another tree.
    const gpus = [0, 1, 2].map((rank) => {
      const [next, last] = [(rank + 1) % 3, (rank + 2) % 3];
      const first = step('rrc', { src: 'i0', dst: 'o0', publishes: true });
      const second = step('rrc', { src: 'o0', dst: 'o0', wait: [0, 1] });
      return gpu(rank, [1, 1, 0], tb(0, next, next, 0, step('s'), first), tb(1, last, last, 0, step('s'), second));
    });
    const text = algo('allreduce', {}, ...gpus);
    expect((await inProcess(['verify', '-', '--bitwise'], text)).stdout).toContain('not-bitwise');
    expect(await inProcess(['convert', '-'], text)).toMatchObject({ status: 0 });
  });

  it('refuses what the topology or the limit in flight cannot run', async () => {
    const crossed = algo(
      'alltoall',
      { chunks: 2 },
      ...[0, 1].map((rank) => {
        const peer = 1 - rank;
        const own = step('cpy', { src: `i${rank}`, dst: `o${rank}` });
        const other = [step('s', { src: `i${peer}` }), step('r', { dst: `o${peer}` })];
        return gpu(rank, [2, 2, 0], tb(0, peer, peer, 0, own, ...other));
      }),
    );
    expect(await inProcess(['convert', '-', '--topo', 'ring:2'], crossed)).toMatchObject({ status: 0 });
    expect(await inProcess(['convert', '-', '--topo', 'ring:3'], crossed)).toMatchObject({ status: 1 });
    expect((await inProcess(['convert', '-', '--inflight', '0'], crossed)).stderr).toContain('deadlock');
  });

  it('names the nearest emitter', async () => {
    const outcome = await inProcess(['convert', '-', '--emit', 'jsno'], exchange);
    expect(outcome).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('json') });
  });
});
